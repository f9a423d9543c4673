#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/named_files.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/experiments/results/measure.hpp"
#include "sim_harness/studies/classes/class_settings.hpp"
#include "sim_harness/studies/studies.hpp"

namespace cospot {
namespace {

constexpr std::int64_t kMostServers = 100'000'000;

const std::vector<Measure<ClassesResult>>& measures() {
  using R = ClassesResult;
  static const std::vector<Measure<R>> all{
      measure<&R::servers>({.name = "servers", .unit = "servers", .meaning = "in the cluster"}),
      measure<&R::mean_mttr_hours>(
          {.name = "mean_mttr_hours",
           .unit = "h",
           .meaning = "time to revocation of all servers together; empty without a revocation",
           .may_be_null = true}),
      measure<&R::performance>(
          {.name = "performance",
           .unit = "fraction",
           .meaning = "of the usable idle time that customers get useful work out of"}),
      measure<&R::revenue>({.name = "revenue",
                            .unit = "fraction",
                            .meaning = "of what the usable idle time would earn on demand"}),
      measure<&R::revenue_of_maximum>(
          {.name = "revenue_of_maximum",
           .unit = "fraction",
           .meaning = "of the revenue with every server in a class of its own"})};
  return all;
}

/// A file of the study, read.
struct Settings {
  std::vector<CapacityTraceSpec> traces{};
  TraceOptions options{};
  std::vector<std::int64_t> classes{1, 2, 4, 8};
  std::vector<PartitionRule> partitions{PartitionRule::kEqual, PartitionRule::kGreedy,
                                        PartitionRule::kOptimal};
  std::vector<PriceRule> values{PriceRule::kUtility};
  std::vector<MttrRule> mttrs{MttrRule::kPooled};
  std::vector<double> checkpoint_minutes{10};
};

std::vector<CapacityTraceSpec> read_traces(const ConfigNode& node,
                                           const std::filesystem::path& folder) {
  std::vector<CapacityTraceSpec> traces;
  Labels labels;
  for (const ConfigNode* item : read_list(node, "trace")) {
    CapacityTraceSpec spec = parse_trace_spec(read_text(*item, "trace"));
    if (const auto* given = std::any_cast<WorkloadSpec>(&item->given)) {
      spec = {given->label, *given};
    }
    if (!spec.source.is_file()) {
      labels.add(spec.label, *item, "trace");
      traces.push_back(std::move(spec));
      continue;
    }
    for (ExpandedPath& path : read_paths(*item, "trace", folder)) {
      spec.label = spec.source.label = path.label;
      spec.source.file = path.file;
      labels.add(spec.label, *item, "trace");
      traces.push_back(spec);
    }
  }
  for (const CapacityTraceSpec& trace : traces) {
    if (!is_label(trace.label)) throw_bad_value(node, "trace", "names without commas or quotes");
  }
  return traces;
}

/// A word, whose errors get the place.
template <class Parse>
auto read_word(const ConfigNode& item, std::string_view key, const Parse& parse) {
  try {
    return parse(read_text(item, key));
  } catch (const ConfigError& error) {
    if (std::string_view(error.what()).starts_with(item.where)) throw;
    throw ConfigError(fmt::format("{}: {}", item.where, error.what()));
  }
}

double read_minutes(const ConfigNode& item, std::string_view key) {
  const double minutes = read_number(item, key, 0, kMostCheckpointMinutes);
  if (minutes > 0) return minutes;
  throw_bad_value(item, key, "a number above 0");
}

const Axis<Settings, CapacityTraceSpec> kTraceAxis{
    .name = "trace",
    .meaning = "its label, as the study file writes it",
    .values = &Settings::traces,
    .read_all = [](const StudyFile& file, const Settings&) {
      return read_traces(require_key(file.root, "study", "trace"), file.folder);
    }};
const Axis<Settings, std::int64_t> kClassesAxis{
    .name = "classes",
    .meaning = "how many",
    .values = &Settings::classes,
    .read = [](const auto& item, auto key) { return read_integer(item, key, 1, kMostServers); }};
const Axis<Settings, PartitionRule> kPartitionAxis{
    .name = "partition",
    .meaning = "`equal`, `greedy`, `marginal`, `lookahead` or `optimal`",
    .values = &Settings::partitions,
    .read = [](const auto& item, auto key) { return read_word(item, key, parse_partition); }};
const Axis<Settings, PriceRule> kValueAxis{
    .name = "value",
    .meaning = "the price: `equilibrium` or `utility`",
    .values = &Settings::values,
    .read = [](const auto& item, auto key) { return read_word(item, key, parse_value); }};
const Axis<Settings, MttrRule> kMttrAxis{
    .name = "mttr",
    .meaning = "of a class: `pooled` or `mean`",
    .values = &Settings::mttrs,
    .read = [](const auto& item, auto key) { return read_word(item, key, parse_mttr); }};
const Axis<Settings, double> kCheckpointAxis{.name = "checkpoint_minutes",
                                             .unit = "min",
                                             .meaning = "to save the memory",
                                             .values = &Settings::checkpoint_minutes,
                                             .read = read_minutes};

constexpr double kMostDays = 1e6;
const Setting<Settings> kTraceOptions = setting_of<Settings>(
    Fields<TraceOptions>{
        number_field("from_day", &TraceOptions::from_day, 0, kMostDays),
        number_field("to_day", &TraceOptions::to_day, 0, kMostDays),
        number_field("servers", &TraceOptions::servers, 1, kMostServers),
        number_field("server_vcpus", &TraceOptions::server_vcpus, 1, kMaxResourceAmount)},
    &Settings::options);

const SettingTable<Settings>& table() {
  static const SettingTable<Settings> made(
      "study", {kTraceAxis, kClassesAxis, kPartitionAxis, kValueAxis, kMttrAxis, kCheckpointAxis,
                kTraceOptions});
  return made;
}

const Schema& schema() {
  static const Schema made{
      .study = "classes", .axes = table().columns(), .measures = columns_of(std::span(measures()))};
  return made;
}

ClassesRun run_at(const GridPoint<Settings>& at) {
  return {.classes = static_cast<std::size_t>(at.get(kClassesAxis)),
          .partition = at.get(kPartitionAxis),
          .pricing = {.checkpoint_hours = at.get(kCheckpointAxis) / 60,
                      .mttr = at.get(kMttrAxis),
                      .rule = at.get(kValueAxis)}};
}

Experiment load(const Settings& settings, PolicyLoader& loader) {
  Experiment experiment{.schema = schema(),
                        .axes = table().axes(settings),
                        .group_by = axis_names(kTraceAxis, kClassesAxis),
                        .configuration = compact_json(table().json(settings))};
  std::vector<std::shared_ptr<const LoadedTrace>> traces;
  for (const CapacityTraceSpec& spec : settings.traces) {
    const auto loaded =
        std::make_shared<const LoadedTrace>(load_trace(spec, settings.options, loader));
    for (const std::int64_t classes : settings.classes) {
      loaded->require_classes(static_cast<std::size_t>(classes));
    }
    const std::vector<std::string>& warnings = loaded->trace.warnings;
    experiment.warnings.insert(experiment.warnings.end(), warnings.begin(), warnings.end());
    experiment.inputs.push_back(
        {.label = spec.label, .sha256 = loaded->trace.sha256, .name = spec.label});
    traces.push_back(loaded);
  }
  experiment.run_group = [settings, traces, grid = experiment.grid()](
                             const RunGroup& /*group*/, std::span<const std::size_t> pending,
                             const RecordRun& record) {
    for (const std::size_t run : pending) {
      const auto at = table().at(settings, grid.coordinates(run));
      const LoadedTrace& trace = *traces[at.index(kTraceAxis)];
      const ClassesRun wanted = run_at(at);
      const Partition cut =
          partition(trace.capacity, wanted.partition, wanted.classes, wanted.pricing);
      record(run, values_of(std::span(measures()), trace.measure(cut, wanted)));
    }
  };
  return experiment;
}

const StudyFigures& figures() {
  static const StudyFigures made{
      .title = "Classes of idle capacity",
      .figures = {{.name = "performance", .title = "performance", .decimals = 1},
                  {.name = "revenue",
                   .title = "revenue",
                   .decimals = 1,
                   .meaning = "relative to selling the usable idle time on demand",
                   .better = Better::kHigh},
                  {.name = "revenue_of_maximum",
                   .title = "revenue of the maximum",
                   .decimals = 1,
                   .meaning = "every server in a class of its own"}},
      .is_sold_once = true};
  return made;
}

}  // namespace

Study classes_study() {
  return {.name = "classes",
          .summary = "what idle capacity earns in classes with guaranteed times to revocation",
          .page = "docs/sweep-file.md#classes",
          .schema = schema,
          .read = [](const StudyFile& file) -> LoadExperiment {
            return [settings = table().read(file), loader = file.policies] {
              return load(settings, *loader);
            };
          },
          .figures = [](const Schema&) { return figures(); }};
}

}  // namespace cospot
