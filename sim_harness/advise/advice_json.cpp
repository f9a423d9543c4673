#include <algorithm>
#include <array>

#include "sim_harness/advise/plan.hpp"
#include "sim_harness/advise/tuning.hpp"
#include "sim_harness/data/prices/sold_once_json.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"

namespace cospot {
namespace {

/// Means over samples; null where one was not simulated, or there are none.
Json means(const TuneFindings& findings, std::size_t candidate,
           std::span<const std::size_t> samples) {
  const TuneRuns& runs = findings.runs;
  const auto is_known = [&](std::size_t sample) { return runs.knows(candidate, sample); };
  if (samples.empty() || !std::ranges::all_of(samples, is_known)) return nullptr;
  const auto [vm_loss, spot_share] = runs.mean(candidate, samples);
  return {{"samples", samples.size()},
          {"spot_share", json_of(spot_share)},
          {"vm_loss", json_of(vm_loss)},
          {"samples_over_limit", runs.over_limit(candidate, samples)}};
}

Json verdict_json(const TuneVerdict& verdict, std::span<const MoreHosts> tried) {
  const auto core = [](const TuneVerdict& of) {
    const bool is_compared = of.advice != TuneAdvice::kNotCompared;
    return Json{{"advice", advice_name(of.advice)},
                {"choice", of.choice == JudgedChoice::kBest ? "best" : "for nova"},
                {"net_gain", is_compared ? json_of(of.gain.mean) : Json()},
                {"net_gain_half_width", json_of(of.gain.half_width)},
                {"validated_samples", of.validated},
                {"folds", of.searches},
                {"folds_that_chose_it", of.chose_it},
                {"samples_over_limit", of.over_limit},
                {"most_vm_loss", json_of(of.most_lost)},
                {"samples_over_limit_without_cooperation", of.over_limit_without}};
  };
  Json json = core(verdict);
  json["with_more_hosts"] = json_list_of(tried, [&](const MoreHosts& one) {
    Json more = core(one.verdict);
    more.update({{"hosts", one.hosts}, {"more_hosts", one.added}, {"setting", one.setting}});
    return more;
  });
  return json;
}

Json income_json(const Income& income) {
  return {{"vms_lost", json_of(income.vms_lost)},
          {"spots_earned", json_of(income.spots_earned)},
          {"net", json_of(income.net())},
          {"net_per_month", json_of(income.net_per_month())}};
}

Json money_json(const TuneMoney& money) {
  Json json{{"days", json_of(money.recommended.days)},
            {"vms_requested", json_of(money.recommended.vms_requested)},
            {"spots_requested", json_of(money.recommended.spots_requested)},
            {"recommendation", income_json(money.recommended)},
            {"without_cooperation",
             money.without_cooperation ? income_json(*money.without_cooperation) : Json()}};
  json["gain_per_month"] = mean_json(money.gain_per_month);
  json["next_month_gain"] = money.next_gain ? forecast_json(*money.next_gain) : Json();
  json["note"] = sold_once_note();
  return json;
}

Json count_json(const PromiseCount& count, const ProbabilityInterval& interval, double allowed) {
  if (count.promised == 0) return nullptr;
  return {{"tested", count.promised},
          {"broken", count.broken},
          {"allowed", json_of(allowed)},
          {"interval_95", {json_of(interval.lower), json_of(interval.upper)}},
          {"verdict", verdict_name(verdict_of(interval, allowed))}};
}

Json economy_json(const PromiseCount& count) {
  return count_json(count, eviction_interval(count), kEconomyBroken);
}

Json division_json(const Division& division) {
  const bool is_plain = division == Division{};
  return {{"economy_percent", json_of(division.economy_percent)},
          {"confidence", is_plain ? Json() : json_of(division.confidence)}};
}

Json run_setting_json(const PlanRun& run) {
  Json json{{"label", run.setting.label()}};
  json.update(setting_json(run.setting));
  if (run.setting.places_no_spots()) json["spot"] = nullptr;
  json["otn"] = run.setting.otn.label();  // a text, unlike in other documents
  json["division"] = division_json(run.division);
  json["promised_percent"] = json_of(run.promised_percent);
  return json;
}

/// The use of a part's capacity, as fractions of its vcpu-time.
Json shares_json(const PlanFindings& findings, const PlanRun& run, std::size_t part) {
  const CapacityShares shares = capacity_shares(findings, run, part);
  return {{"vms", json_of(shares.vms)},
          {"economy", json_of(shares.economy)},
          {"spots", json_of(shares.spots)},
          {"idle", json_of(shares.idle())}};
}

Json alternative_json(const PlanFindings& findings, const JudgedAlternative& one) {
  Json chosen = Json::array();
  for (std::size_t i = 0; i < one.chosen.size(); ++i) {
    const PlanRun& run = findings.runs[one.chosen[i]];
    Json part = run_setting_json(run);
    part["part"] = findings.past() + i + 1;
    part["net_per_day"] = json_of(one.net[i]);
    part["sold"] = shares_json(findings, run, findings.past() + i);
    chosen.push_back(std::move(part));
  }
  return {{"name", alternative_name(one.alternative)},
          {"net_per_day", mean_json(one.mean_net)},
          {"income_per_day", json_of(one.income)},
          {"vm_loss", json_of(one.vm_loss)},
          {"most_vm_loss", json_of(one.most_vm_loss)},
          {"history_vm_loss", json_of(one.last_vm_loss)},
          {"served", json_of(one.served)},
          {"spots", one.spots.placed + one.spots.carried},
          {"evictions", one.spots.evictions},
          {"evictions_in_a_day", one.spots.early},
          {"idle", json_of(one.idle)},
          {"recovered", json_of(one.recovered)},
          {"economy_promises", economy_json(one.economy)},
          {"judged", std::move(chosen)},
          {"from_now_on", run_setting_json(findings.runs[one.last])}};
}

Json class_json(const JudgedClass& one) {
  return {{"hours", one.promise.life / std::chrono::hours(1)},
          {"probability", json_of(1 - one.promise.broken)},
          {"sell", one.is_sold},
          {"parts_sold", one.parts},
          {"promised", one.tally.given},
          {"spots", one.spots},
          {"promises", count_json(one.tally.tested(), one.interval(), one.promise.broken)},
          {"worth", json_of(one.worth)}};
}

std::string_view advice_key(PlanAdvice advice) {
  static constexpr std::array<std::string_view, 3> kKeys{"plan", "single", "nothing holds"};
  return kKeys[static_cast<std::size_t>(advice)];
}

Json division_result_json(const PlanFindings& findings, const DivisionResult& one) {
  return {{"setting", run_setting_json(findings.runs[one.run])},
          {"economy_per_day", json_of(one.economy)},
          {"spots_per_day", json_of(one.spots)},
          {"net_per_day", json_of(one.net)},
          {"most_vm_loss", json_of(one.vm_loss)},
          {"economy_promises", economy_json(one.promises)}};
}

Json hosts_json(const PlanFindings& findings, const AddedHosts& hosts) {
  const auto more = static_cast<double>(hosts.more);
  return {{"type", hosts.type.empty() ? Json() : Json(hosts.type)},
          {"more", hosts.more},
          {"gain_per_day", mean_json(hosts.gain)},
          {"cost_per_day", findings.host_cost ? json_of(more * *findings.host_cost) : Json()}};
}

Json sensitivity_json(const PlanFindings& findings, const Sensitivity& one) {
  return {{"if", one.what},
          {"net_per_day", json_of(one.net)},
          {"most_vm_loss", json_of(one.vm_loss)},
          {"setting", one.label},
          {"division", division_json(one.division)},
          {"hosts", one.hosts ? hosts_json(findings, *one.hosts) : Json()}};
}

}  // namespace

std::string_view advice_name(TuneAdvice advice) {
  static constexpr std::array<std::string_view, 4> kNames{"cooperate", "keep: over the limit",
                                                          "keep: no gain", "not compared"};
  return kNames[static_cast<std::size_t>(advice)];
}

Json setting_json(const TuneFindings& findings, std::size_t candidate, const TuneOutcome& search) {
  Json json = setting_json(findings.runs.space().at(candidate));
  json["training"] = means(findings, candidate, search.selection);
  json["validation"] = means(findings, candidate, search.held_out);
  return json;
}

Json tune_json(const TuneFindings& findings) {
  const TuneOutcome& outcome = findings.outcome;
  const auto candidate = [&](const std::optional<std::size_t>& index) {
    return index ? setting_json(findings, *index, outcome) : Json();
  };
  const auto fold = [&](const TuneOutcome& search) {
    return setting_json(findings, search.recommendation, search);
  };
  const auto sample_json = [](const TuneSample& sample) {
    return Json{{"workload", sample.spec.label}, {"hosts", sample.hosts}};
  };
  Json json{{"verdict", verdict_json(findings.verdict, findings.tried)},
            {"recommendation", candidate(advised(findings.verdict, outcome))},
            {"recommendation_for_nova", candidate(advised_for_nova(findings.verdict, outcome))},
            {"found", candidate(outcome.recommendation)},
            {"without_cooperation", candidate(outcome.without_cooperation)},
            {"upper_bound", candidate(outcome.bound)},
            {"max_vm_loss", json_of(findings.request.settings.max_vm_loss)},
            {"keeps_limit", outcome.keeps_limit},
            {"folds", json_list_of(findings.folds, fold)},
            {"pareto_front", json_list_of(outcome.front, candidate)},
            {"hosts", findings.whole ? Json(findings.whole->hosts) : Json()},
            {"samples", json_list_of(findings.samples, sample_json)},
            {"runs", findings.runs.count()}};
  if (findings.request.settings.with != nullptr)
    json["with"] = findings.request.settings.with->json();
  if (findings.money) json["money"] = money_json(*findings.money);
  if (findings.whole) json["vm_demand"] = demand_json(findings.demand());
  return json;
}

Json plan_json(const PlanFindings& findings) {
  const PlanDatacenter& datacenter = findings.datacenter;
  Json json{{"advice", advice_key(findings.advice)},
            {"advised", alternative_name(findings.advised)},
            {"decision", decision_of(findings)},
            {"currency", findings.currency.empty() ? Json() : Json(findings.currency)},
            {"hosts", datacenter.history->hosts},
            {"parts", datacenter.parts.count},
            {"days_per_part", json_of(findings.days())},
            {"max_vm_loss", json_of(findings.max_vm_loss)},
            {"best_single", alternative_name(findings.best_single)},
            {"gain_per_day", mean_json(findings.gain)},
            {"next_best", alternative_name(findings.next_best)},
            {"lead_per_day", mean_json(findings.lead)},
            {"next_month", forecast_json(findings.income_forecast)},
            {"next_month_lead", forecast_json(findings.lead_forecast)},
            {"set", run_setting_json(findings.set_from_now_on())},
            {"by", nullptr}};
  const auto list = [&](const auto& rows, const auto& json_of_one) {
    return json_list_of(rows, [&](const auto& one) { return json_of_one(findings, one); });
  };
  json["alternatives"] = list(findings.alternatives, alternative_json);
  json["classes"] = json_list_of(findings.classes, class_json);
  json["divisions"] = list(findings.divisions, division_result_json);
  json["sensitivity"] = list(findings.sensitivities, sensitivity_json);
  if (!findings.by.empty()) {
    json["by"] = {{"key", findings.by}, {"rows", breakdown_table(findings, SIZE_MAX).json()}};
  }
  json["notes"] = findings.notes;
  json["vm_demand"] = demand_json(findings.demand);
  return json;
}

}  // namespace cospot
