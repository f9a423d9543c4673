#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim_harness/base/json/json.hpp"
#include "sim_harness/studies/broker/broker_figures.hpp"
#include "sim_harness/studies/broker/broker_run_at.hpp"
#include "sim_harness/studies/broker/broker_settings.hpp"
#include "sim_harness/studies/broker/broker_text.hpp"
#include "sim_harness/studies/studies.hpp"

namespace cospot {
namespace {

const Schema& schema() {
  static const Schema made{.study = "broker",
                           .axes = broker_table().columns(),
                           .measures = columns_of(std::span(broker_measures()))};
  return made;
}

Experiment load(const BrokerStudySettings& settings) {
  struct Loaded {
    explicit Loaded(const BrokerStudySettings& of) : settings(of) {}
    BrokerStudySettings settings;
    BrokerInputs inputs = load_broker_inputs(settings);
    OnDemandBaseline on_demand{settings, inputs};
  };
  const auto loaded = std::make_shared<Loaded>(settings);
  Experiment experiment{
      .schema = schema(),
      .axes = broker_table().axes(settings),
      // All seeds of a cell.
      .group_by = axis_names(kMarketAxis, kJobsAxis, kBidAxis, kAlphaAxis, kFaultToleranceAxis,
                             kBillingAxis, kMarketChoiceAxis, kFallbackAxis),
      .configuration = compact_json(broker_table().json(settings)),
      .inputs = loaded->inputs.records};
  const Grid grid = experiment.grid();
  experiment.run_group = [loaded, grid](const RunGroup& /*group*/,
                                        std::span<const std::size_t> pending,
                                        const RecordRun& record) {
    for (const std::size_t run : pending) {
      const Coordinates at = grid.coordinates(run);
      const BrokerResult result = run_broker_at(loaded->settings, loaded->inputs, at);
      record(run, values_of(std::span(broker_measures()),
                            figures_of(result, loaded->on_demand.of(at).runs[at.back()])));
    }
  };
  return experiment;
}

/// The cost of a useful job where the setting keeps the limit (RankedSetting::keeps_limit), as SQL:
/// the report's best is then that of the summary. A setting is all runs that differ in the seed
/// only.
const std::string& cost_within_limit() {
  static const std::string sql = [] {
    std::vector<std::string> axes = broker_table().axis_names();
    std::erase(axes, kBrokerSeedAxis.name);
    return fmt::format(
        "CASE WHEN MAX(unfinished) OVER (PARTITION BY {0}) = 0 AND"
        " AVG(1.0 * (deadline_violations - on_demand_alone_late) / jobs) OVER (PARTITION BY {0})"
        " <= (SELECT json_extract(configuration, '$.{1}') FROM sweep) / 100.0 + 1e-9"
        " THEN cost_per_useful_job END",
        fmt::join(axes, ", "), kMaxLateKey);
  }();
  return sql;
}

}  // namespace

Study broker_study() {
  return {
      .name = "broker",
      .summary = "a customer's jobs on spot markets: bids, fault tolerance, deadlines",
      .page = "docs/broker.md",
      .schema = schema,
      .read = [](const StudyFile& file) -> LoadExperiment {
        return [settings = read_broker_settings(file.root, file.folder)] { return load(settings); };
      },
      .figures =
          [](const Schema&) {
            return StudyFigures{
                .figures = {
                    {.name = "cost_within_limit",
                     .title = "cost of a useful job within the limit of lateness",
                     .unit = FigureUnit::kNumber,
                     .decimals = 5,
                     .meaning = "cost_per_useful_job, USD; empty: the setting does not keep the "
                                "limit (max_late_percent) or leaves jobs undone",
                     .sql = cost_within_limit(),
                     .better = Better::kLow},
                    {.name = "cost_per_useful_job",
                     .title = "cost of a useful job",
                     .unit = FigureUnit::kNumber,
                     .decimals = 5,
                     .better = Better::kLow},
                    {.name = "cost", .title = "cost of all jobs", .unit = FigureUnit::kNumber},
                    {.name = "deadline_violations",
                     .title = "jobs that missed their deadline",
                     .unit = FigureUnit::kNumber,
                     .decimals = 1}}};
          },
      .summarise = broker_summary};
}

}  // namespace cospot
