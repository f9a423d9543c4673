#include "sim_harness/advise/tune_json.hpp"

#include <algorithm>
#include <vector>

#include "sim_harness/advise/tune_figures.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"

namespace cospot {
namespace {

/// Means over samples; null where one was not simulated, or there are none.
Json means(const TuneFindings& findings, std::size_t candidate,
           std::span<const std::size_t> samples) {
  const TuneRuns& runs = findings.runs;
  const TuneFigures figures(findings.settings, runs);
  const auto is_known = [&](std::size_t sample) { return runs.knows(candidate, sample); };
  if (samples.empty() || !std::ranges::all_of(samples, is_known)) return nullptr;
  return {{"samples", samples.size()},
          {"spot_share", json_of(figures.mean_share(candidate, samples))},
          {"vm_loss", json_of(figures.mean_loss(candidate, samples))},
          {"samples_over_limit", figures.samples_over_limit(candidate, samples)}};
}

}  // namespace

Json setting_json(const TuneFindings& findings, std::size_t candidate, const TuneOutcome& search) {
  Json json = setting_json(findings.runs.space().at(candidate));
  json["training"] = means(findings, candidate, search.selection);
  json["validation"] = means(findings, candidate, search.held_out);
  return json;
}

Json tune_json(const TuneFindings& findings, const std::optional<TuneMoney>& money) {
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
  if (money) json["money"] = tune_money_json(*money);
  return json;
}

}  // namespace cospot
