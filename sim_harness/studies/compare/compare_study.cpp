#include "sim_harness/studies/compare/compare_study.hpp"

#include <memory>

#include "sim_harness/studies/compare/compare_schema.hpp"
#include "sim_harness/studies/compare/money.hpp"
#include "sim_harness/studies/compare/summary.hpp"
#include "sim_harness/studies/compare/sweep_file.hpp"
#include "sim_harness/studies/compare/sweep_runner.hpp"

namespace cospot {
namespace {

LoadExperiment read_comparison(const StudyFile& file) {
  const auto sweep =
      std::make_shared<Sweep>(read_sweep(file.root, file.folder, {}, *file.policies, file.window));
  return [sweep] {
    Experiment experiment = make_comparison(*sweep, make_sweep_runner(*sweep));
    // The runner refers to the sweep.
    experiment.run_group = [sweep, run = std::move(experiment.run_group)](
                               const RunGroup& group, std::span<const std::size_t> pending,
                               const RecordMeasures& record) { run(group, pending, record); };
    return experiment;
  };
}

}  // namespace

Study compare_study() {
  return {.name = "compare",
          .summary = "every combination of workloads, sizes, policies, SAF and OTN",
          .schema = compare_schema,
          .read = read_comparison,
          .summarise = [](ResultsDatabase& results,
                          Timing timing) { return compare_summary(summarise(results, timing)); },
          .money = compare_money};
}

}  // namespace cospot
