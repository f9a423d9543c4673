#include <algorithm>
#include <vector>

#include "sim_harness/advise/tune_output.hpp"
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
  json["note"] = sold_once_note();
  return json;
}

}  // namespace

std::string_view advice_name(TuneAdvice advice) {
  switch (advice) {
    case TuneAdvice::kCooperate:
      return "cooperate";
    case TuneAdvice::kKeepForLimit:
      return "keep: over the limit";
    case TuneAdvice::kKeepForGain:
      return "keep: no gain beyond its interval";
    case TuneAdvice::kNotCompared:
      break;
  }
  return "not compared";
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
            {"max_vm_loss", json_of(findings.settings.max_vm_loss)},
            {"keeps_limit", outcome.keeps_limit},
            {"folds", json_list_of(findings.folds, fold)},
            {"pareto_front", json_list_of(outcome.front, candidate)},
            {"hosts", findings.whole ? Json(findings.whole->hosts) : Json()},
            {"samples", json_list_of(findings.samples, sample_json)},
            {"runs", findings.runs.count()}};
  if (findings.settings.with != nullptr) json["with"] = findings.settings.with->json();
  if (findings.money) json["money"] = money_json(*findings.money);
  return json;
}

}  // namespace cospot
