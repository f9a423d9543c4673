#include "sim_harness/tune/tune_json.hpp"

#include <vector>

#include "sim_harness/studies/provider/provider_json.hpp"
#include "sim_harness/tune/tune_figures.hpp"

namespace cospot {
namespace {

class Writer {
 public:
  Writer(const TuneSettings& settings, const TuneRuns& runs)
      : settings_(settings), runs_(runs), figures_(settings, runs) {}

  /// A candidate, and what it came to on the samples that `search` trained with and held out.
  [[nodiscard]] Json candidate(std::size_t index, const TuneOutcome& search) const {
    const RunCoordinates at = runs_.space().at(index);
    return {{"vm", settings_.vm[at.vm].label},
            {"spot", settings_.spot[at.spot].label},
            {"evictor", settings_.evictors[at.evictor].label},
            {"saf", settings_.saf[at.saf]},
            {"otn", setting_json(settings_.otn[at.otn])},
            {"training", means(index, search.selection)},
            {"validation", means(index, search.held_out)}};
  }

 private:
  /// Means over samples; null where none was simulated.
  [[nodiscard]] Json means(std::size_t index, std::span<const std::size_t> samples) const {
    if (samples.empty()) return nullptr;
    for (const std::size_t sample : samples) {
      if (!runs_.knows(index, sample)) return nullptr;
    }
    return {{"samples", samples.size()},
            {"spot_share", json_of(figures_.mean_share(index, samples))},
            {"vm_loss", json_of(figures_.mean_loss(index, samples))},
            {"samples_over_limit", figures_.samples_over_limit(index, samples)}};
  }

  const TuneSettings& settings_;
  const TuneRuns& runs_;
  TuneFigures figures_;
};

}  // namespace

std::string tune_json(const TuneFindings& findings, const std::optional<TuneMoney>& money) {
  const TuneOutcome& outcome = findings.outcome;
  const Writer writer(findings.settings, findings.runs);
  const auto candidate = [&](const std::optional<std::size_t>& index) {
    return index ? writer.candidate(*index, outcome) : Json();
  };
  const auto fold = [&](const TuneOutcome& search) {
    return writer.candidate(search.recommendation, search);
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
  return text_of(json);
}

}  // namespace cospot
