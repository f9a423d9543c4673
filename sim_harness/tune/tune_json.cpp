#include "sim_harness/tune/tune_json.hpp"

#include <vector>

#include "sim_harness/base/json/json_text.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"
#include "sim_harness/tune/tune_figures.hpp"

namespace cospot {
namespace {

class Writer {
 public:
  Writer(const TuneSettings& settings, const TuneRuns& runs, const TuneOutcome& outcome,
         std::span<const TuneOutcome> folds)
      : settings_(settings),
        runs_(runs),
        figures_(settings, runs),
        outcome_(outcome),
        folds_(folds) {}

  [[nodiscard]] std::string candidate(std::size_t index) const {
    JsonObject object = setting(index);
    return object.add("training", means(index, outcome_.selection))
        .add("validation", means(index, outcome_.held_out))
        .text();
  }

  [[nodiscard]] std::string candidate(const std::optional<std::size_t>& index) const {
    return index ? candidate(*index) : "null";
  }

  /// What a search without each fold chose, and what that came to on the fold.
  [[nodiscard]] std::string fold(const TuneOutcome& fold) const {
    JsonObject object = setting(fold.recommendation);
    return object.add("training", means(fold.recommendation, fold.selection))
        .add("validation", means(fold.recommendation, fold.held_out))
        .text();
  }

  [[nodiscard]] std::string folds() const {
    return list_of(folds_, [this](const TuneOutcome& one) { return fold(one); });
  }

  [[nodiscard]] std::string front() const {
    return list_of(outcome_.front, [this](std::size_t index) { return candidate(index); });
  }

 private:
  [[nodiscard]] JsonObject setting(std::size_t index) const {
    const RunCoordinates at = runs_.space().at(index);
    JsonObject object;
    object.add("vm", json_text(settings_.vm[at.vm].label))
        .add("spot", json_text(settings_.spot[at.spot].label))
        .add("evictor", json_text(settings_.evictors[at.evictor].label))
        .add("saf", json_bool(settings_.saf[at.saf]))
        .add("otn", setting_json(settings_.otn[at.otn]).dump());
    return object;
  }

  /// Means over samples; null where none was simulated.
  [[nodiscard]] std::string means(std::size_t index, std::span<const std::size_t> samples) const {
    if (samples.empty()) return "null";
    for (const std::size_t sample : samples) {
      if (!runs_.knows(index, sample)) return "null";
    }
    return JsonObject()
        .add("samples", std::to_string(samples.size()))
        .add("spot_share", json_number(figures_.mean_share(index, samples)))
        .add("vm_loss", json_number(figures_.mean_loss(index, samples)))
        .add("samples_over_limit", std::to_string(figures_.samples_over_limit(index, samples)))
        .text();
  }

  const TuneSettings& settings_;
  const TuneRuns& runs_;
  TuneFigures figures_;
  const TuneOutcome& outcome_;
  std::span<const TuneOutcome> folds_;
};

}  // namespace

std::string tune_json(const TuneFindings& findings, const std::optional<TuneMoney>& money) {
  const TuneOutcome& outcome = findings.outcome;
  const Writer writer(findings.settings, findings.runs, outcome, findings.folds);
  const auto sample_json = [](const TuneSample& sample) {
    return JsonObject()
        .add("workload", json_text(sample.spec.label))
        .add("hosts", std::to_string(sample.hosts))
        .text();
  };
  JsonObject json;
  json.add("verdict", verdict_json(findings.verdict, findings.tried))
      .add("recommendation", writer.candidate(advised(findings.verdict, outcome)))
      .add("recommendation_for_nova", writer.candidate(advised_for_nova(findings.verdict, outcome)))
      .add("found", writer.candidate(outcome.recommendation))
      .add("without_cooperation", writer.candidate(outcome.without_cooperation))
      .add("upper_bound", writer.candidate(outcome.bound))
      .add("max_vm_loss", json_number(findings.settings.max_vm_loss))
      .add("keeps_limit", json_bool(outcome.keeps_limit))
      .add("folds", writer.folds())
      .add("pareto_front", writer.front())
      .add("hosts", findings.whole ? std::to_string(findings.whole->hosts) : "null")
      .add("samples", list_of(findings.samples, sample_json))
      .add("runs", std::to_string(findings.runs.count()));
  if (money) json.add("money", tune_money_json(*money));
  return json.text();
}

}  // namespace cospot
