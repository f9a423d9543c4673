#include <fmt/format.h>

#include "sim_harness/advise/plan_output.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"

namespace cospot {
namespace {

Json count_json(const PromiseCount& count, const ProbabilityInterval& interval, double allowed) {
  if (count.promised == 0) return nullptr;
  return {{"tested", count.promised},
          {"broken", count.broken},
          {"allowed", json_of(allowed)},
          {"interval_95", {json_of(interval.lower), json_of(interval.upper)}},
          {"verdict", verdict_name(verdict_of(interval, allowed))}};
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
  const WindowParts& parts = findings.datacenter.parts;
  const double capacity = static_cast<double>(findings.datacenter.host.sum(run.hosts).vcpus) *
                          static_cast<double>((parts.end(part) - parts.begin(part)).count());
  const auto share = [&](Level level) {
    return static_cast<double>(run.parts[part].of(level).earned) / capacity;
  };
  const double vms = share(Level::kVm);
  const double economy = share(Level::kEconomy);
  const double spots = share(Level::kSpot);
  return {{"vms", json_of(vms)},
          {"economy", json_of(economy)},
          {"spots", json_of(spots)},
          {"idle", json_of(1 - vms - economy - spots)}};
}

Json alternative_json(const PlanFindings& findings, const JudgedAlternative& one) {
  Json chosen = Json::array();
  for (std::size_t i = 0; i < one.chosen.size(); ++i) {
    const PlanRun& run = findings.runs[one.chosen[i]];
    Json part = run_setting_json(run);
    part["part"] = kPastParts + i + 1;
    part["net_per_day"] = json_of(one.net[i]);
    part["sold"] = shares_json(findings, run, kPastParts + i);
    chosen.push_back(std::move(part));
  }
  return {
      {"name", alternative_name(one.alternative)},
      {"net_per_day", mean_json(one.mean_net)},
      {"income_per_day", json_of(one.income)},
      {"vm_loss", json_of(one.vm_loss)},
      {"most_vm_loss", json_of(one.most_vm_loss)},
      {"history_vm_loss", json_of(one.last_vm_loss)},
      {"evictions", one.evictions},
      {"idle", json_of(one.idle)},
      {"recovered", json_of(one.recovered)},
      {"economy_promises", count_json(one.economy, eviction_interval(one.economy), kEconomyBroken)},
      {"judged", std::move(chosen)},
      {"from_now_on", run_setting_json(findings.runs[one.last])}};
}

Json class_json(const JudgedClass& one) {
  return {{"hours", one.promise.life / std::chrono::hours(1)},
          {"probability", json_of(1 - one.promise.broken)},
          {"sell", one.is_sold},
          {"parts_sold", one.parts},
          {"promised", one.tally.given},
          {"promises", count_json(one.tally.tested(), one.interval(), one.promise.broken)},
          {"worth", json_of(one.worth)}};
}

std::string_view advice_key(PlanAdvice advice) {
  switch (advice) {
    case PlanAdvice::kPlan:
      return "plan";
    case PlanAdvice::kSingle:
      return "single";
    case PlanAdvice::kNothingHolds:
      break;
  }
  return "nothing holds";
}

Json division_result_json(const PlanFindings& findings, const DivisionResult& one) {
  return {{"setting", run_setting_json(findings.runs[one.run])},
          {"economy_per_day", json_of(one.economy)},
          {"spots_per_day", json_of(one.spots)},
          {"net_per_day", json_of(one.net)},
          {"most_vm_loss", json_of(one.vm_loss)},
          {"economy_promises",
           count_json(one.promises, eviction_interval(one.promises), kEconomyBroken)}};
}

Json sensitivity_json(const Sensitivity& one) {
  return {{"if", one.what},
          {"net_per_day", json_of(one.net)},
          {"most_vm_loss", json_of(one.vm_loss)},
          {"setting", one.label},
          {"division", division_json(one.division)}};
}

}  // namespace

Json plan_json(const PlanFindings& findings, const std::string& currency) {
  const PlanDatacenter& datacenter = findings.datacenter;
  Json json{{"advice", advice_key(findings.advice)},
            {"advised", alternative_name(findings.advised)},
            {"decision", decision_of(findings, currency)},
            {"currency", currency.empty() ? Json() : Json(currency)},
            {"hosts", datacenter.history->hosts},
            {"parts", datacenter.parts.count},
            {"days_per_part", json_of(findings.days())},
            {"max_vm_loss", json_of(findings.max_vm_loss)},
            {"best_single", alternative_name(findings.best_single)},
            {"gain_per_day", mean_json(findings.gain)},
            {"next_best", alternative_name(findings.next_best)},
            {"lead_per_day", mean_json(findings.lead)},
            {"set", run_setting_json(findings.set_from_now_on())}};
  json["alternatives"] = json_list_of(findings.alternatives, [&](const JudgedAlternative& one) {
    return alternative_json(findings, one);
  });
  json["classes"] = json_list_of(findings.classes, class_json);
  json["divisions"] = json_list_of(findings.divisions, [&](const DivisionResult& one) {
    return division_result_json(findings, one);
  });
  json["sensitivity"] = json_list_of(findings.sensitivities, sensitivity_json);
  json["notes"] = findings.notes;
  return json;
}

}  // namespace cospot
