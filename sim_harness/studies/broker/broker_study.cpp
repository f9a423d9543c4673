#include "sim_harness/studies/broker/broker_study.hpp"

#include <memory>
#include <utility>

#include "sim_harness/studies/broker/broker_figures.hpp"
#include "sim_harness/studies/broker/broker_run_at.hpp"
#include "sim_harness/studies/broker/broker_settings.hpp"
#include "sim_harness/studies/broker/broker_text.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/value_axes.hpp"

namespace cospot {
namespace {

const Schema& schema() {
  const auto name = [](const char* axis, const char* meaning) {
    return axis_column(axis, ColumnType::kText, "", meaning);
  };
  static const Schema made{
      .study = "broker",
      .axes = {name("market", "label of the set of markets"),
               name("job_log", "label of the value of `jobs`"), name("bid", "bidding strategy"),
               axis_column("alpha", ColumnType::kNumber, "", "the urgency's modifier"),
               name("fault_tolerance", "what is done against revocations"),
               name("billing", "hourly or per_second"),
               name("market_choice", "where instances are asked for"),
               axis_column("seed", ColumnType::kInteger, "",
                           "of the start in the price history and of what is drawn for jobs")},
      .measures = columns_of(std::span(broker_measures()))};
  return made;
}

/// The column has another name than the key: `jobs` is a measure, how many there were, and a column
/// of a CSV has one meaning.
Axis job_log_axis(const ConfigNode& root) {
  Axis axis = name_axis(root, "jobs");
  axis.name = "job_log";
  return axis;
}

std::vector<Axis> axes_of(const std::string& configuration) {
  const ConfigNode root = parse_yaml(configuration, "configuration");
  return {name_axis(root, "market"),
          job_log_axis(root),
          name_axis(root, "bid"),
          number_axis(root, "alpha"),
          name_axis(root, "fault_tolerance"),
          name_axis(root, "billing"),
          name_axis(root, "market_choice"),
          integer_axis(root, "seed")};
}

Experiment load(const BrokerStudySettings& settings) {
  auto inputs = std::make_shared<BrokerInputs>(load_broker_inputs(settings));
  Experiment experiment{.schema = schema(),
                        .axes = axes_of(settings.json()),
                        .group_axes = kSeedAxis,  // all seeds of a cell
                        .configuration = settings.json(),
                        .inputs = inputs->records};
  const Grid grid = experiment.grid();
  experiment.run_group = [settings, inputs, grid](const RunGroup& /*group*/,
                                                  std::span<const std::size_t> pending,
                                                  const RecordMeasures& record) {
    for (const std::size_t run : pending) {
      record(run, values_of(std::span(broker_measures()),
                            figures_of(run_broker_at(settings, *inputs, grid.coordinates(run)))));
    }
  };
  return experiment;
}

}  // namespace

Study broker_study() {
  return {.name = "broker",
          .summary = "a customer's jobs on spot markets: bids, fault tolerance, deadlines",
          .schema = schema,
          .read = [](const StudyFile& file) -> LoadExperiment {
            return [settings = read_broker_settings(file.root, file.folder)] {
              return load(settings);
            };
          },
          .summary_text = broker_text,
          .summary_json = broker_json};
}

}  // namespace cospot
