#include "sim_harness/studies/compare/compare_study.hpp"

#include <memory>

#include "sim_harness/studies/compare/compare_schema.hpp"
#include "sim_harness/studies/compare/money.hpp"
#include "sim_harness/studies/compare/summary.hpp"
#include "sim_harness/studies/compare/sweep_runner.hpp"

namespace cospot {
namespace {

/// Runs that differ in evictor, SAF and OTN alone are simulated together.
Experiment load_comparison(const Sweep& read) {
  const auto sweep = std::make_shared<const Sweep>(read);
  Experiment experiment = make_comparison(*sweep, make_sweep_runner(*sweep));
  // The runner refers to the sweep.
  experiment.run_group = [sweep, run = std::move(experiment.run_group)](
                             const RunGroup& group, std::span<const std::size_t> pending,
                             const RecordMeasures& record) { run(group, pending, record); };
  return experiment;
}

/// Whether the runs of a database have nothing but policies: of these the best are told.
bool is_of_policies(const Schema& schema) {
  return schema.axes.size() == compare_schema().axes.size();
}

}  // namespace

Study compare_study() {
  Study study = provider_study(compare_preset());
  study.read = [](const StudyFile& file) -> LoadExperiment {
    const ProviderStudy parts(compare_preset(), file.root);
    const ProviderStudySettings settings = parts.table().read(file);
    if (!parts.has_further_parts()) return [settings] { return load_comparison(settings); };
    return [parts, settings] { return load_provider_experiment(parts, settings); };
  };
  study.figures = [figures = study.figures](const Schema& schema) {
    return is_of_policies(schema) ? StudyFigures{} : figures(schema);
  };
  study.summarise = [figures = study.figures](ResultsDatabase& results, Timing timing) {
    const Schema& schema = results.schema();
    return is_of_policies(schema) ? compare_summary(summarise(results, timing))
                                  : summary_of_figures(results, figures(schema));
  };
  study.money = [money = study.money](const Schema& schema) {
    StudyMoney made = money(schema);
    if (is_of_policies(schema)) made.summary = summarise_compared_money;
    return made;
  };
  return study;
}

}  // namespace cospot
