#include "sim_harness/studies/classes/classes_study.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/files/json_text.hpp"
#include "sim_harness/files/path_expansion.hpp"
#include "sim_harness/files/text_table.hpp"
#include "sim_harness/prices/price_list.hpp"
#include "sim_harness/results/measure.hpp"
#include "sim_harness/studies/classes/class_settings.hpp"
#include "sim_harness/studies/provider/provider_keys.hpp"
#include "sim_harness/studies/study_summary.hpp"

namespace cospot {
namespace {

constexpr double kMostMinutes = 1e6;
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

Column axis(const char* name, ColumnType type, const char* unit, const char* meaning) {
  return {.name = name, .role = ColumnRole::kAxis, .type = type, .unit = unit, .meaning = meaning};
}

const Schema& schema() {
  static const Schema made{
      .study = "classes",
      .axes = {axis("trace", ColumnType::kText, "", "its label, as the study file writes it"),
               axis("classes", ColumnType::kInteger, "", "how many"),
               axis("partition", ColumnType::kText, "",
                    "`equal`, `greedy`, `marginal`, `lookahead` or `optimal`"),
               axis("value", ColumnType::kText, "", "the price: `equilibrium` or `utility`"),
               axis("mttr", ColumnType::kText, "", "of a class: `pooled` or `mean`"),
               axis("checkpoint_minutes", ColumnType::kNumber, "min", "to save the memory")},
      .measures = columns_of(std::span(measures()))};
  return made;
}

/// A file of the study, read.
struct Settings {
  std::vector<CapacityTraceSpec> traces;
  TraceOptions options;
  std::vector<std::int64_t> classes{1, 2, 4, 8};
  std::vector<PartitionRule> partitions{PartitionRule::kEqual, PartitionRule::kGreedy,
                                        PartitionRule::kOptimal};
  std::vector<PriceRule> values{PriceRule::kUtility};
  std::vector<MttrRule> mttrs{MttrRule::kPooled};
  std::vector<double> checkpoint_minutes{10};

  [[nodiscard]] std::string json() const;
};

std::string Settings::json() const {
  const auto text = [](std::string_view (*name)(PriceRule)) {
    return [name](PriceRule rule) { return json_text(name(rule)); };
  };
  JsonObject object;
  object
      .add("trace",
           list_of(traces, [](const CapacityTraceSpec& each) { return json_text(each.label); }))
      .add("classes", list_of(classes, [](std::int64_t each) { return std::to_string(each); }))
      .add("partition",
           list_of(partitions, [](PartitionRule rule) { return json_text(partition_name(rule)); }))
      .add("value", list_of(values, text(value_name)))
      .add("mttr", list_of(mttrs, [](MttrRule rule) { return json_text(mttr_name(rule)); }))
      .add("checkpoint_minutes",
           list_of(checkpoint_minutes, [](double each) { return json_number(each); }))
      .add("from_day", json_number(options.from_day));
  if (options.to_day) object.add("to_day", json_number(*options.to_day));
  if (options.servers) object.add("servers", std::to_string(*options.servers));
  if (options.server_vcpus) object.add("server_vcpus", std::to_string(*options.server_vcpus));
  return object.text();
}

std::vector<CapacityTraceSpec> read_traces(const ConfigNode& node,
                                           const std::filesystem::path& folder) {
  std::vector<CapacityTraceSpec> traces;
  for (const ConfigNode* item : read_list(node, "trace")) {
    const std::string written = read_text(*item, "trace");
    CapacityTraceSpec spec = parse_trace_spec(written);
    if (spec.source.synthetic) {
      traces.push_back(std::move(spec));
      continue;
    }
    try {
      for (ExpandedPath& path : expand_path(written, folder)) {
        spec.label = spec.source.label = path.label;
        spec.source.file = path.file;
        traces.push_back(spec);
      }
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}: {}", key_place(*item, "trace"), error.what()));
    }
  }
  for (std::size_t i = 0; i < traces.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (traces[i].label != traces[j].label) continue;
      throw ConfigError(
          fmt::format("{}: duplicate value '{}'", key_place(node, "trace"), traces[i].label));
    }
    if (!is_label(traces[i].label))
      throw_bad_value(node, "trace", "names without commas or quotes");
  }
  return traces;
}

/// Sets `values` where the file has the key.
template <class T, class Read>
void read_axis(const ConfigNode& root, std::string_view key, std::vector<T>& values,
               const Read& read) {
  if (const ConfigNode* node = root.find(key)) values = read_distinct(*node, key, read);
}

/// A word, whose errors get the place.
template <class Parse>
auto read_word(std::string_view key, const Parse& parse) {
  return [key, parse](const ConfigNode& item) {
    try {
      return parse(read_text(item, key));
    } catch (const ConfigError& error) {
      if (std::string_view(error.what()).starts_with(item.where)) throw;
      throw ConfigError(fmt::format("{}: {}", item.where, error.what()));
    }
  };
}

void read_options(const ConfigNode& root, TraceOptions& options) {
  constexpr double kMostDays = 1e6;
  if (const ConfigNode* node = root.find("servers")) {
    options.servers = static_cast<std::size_t>(read_integer(*node, "servers", 1, kMostServers));
  }
  if (const ConfigNode* node = root.find("from_day")) {
    options.from_day = read_number(*node, "from_day", 0, kMostDays);
  }
  if (const ConfigNode* node = root.find("to_day")) {
    options.to_day = read_number(*node, "to_day", 0, kMostDays);
  }
  if (const ConfigNode* node = root.find("server_vcpus")) {
    options.server_vcpus = read_integer(*node, "server_vcpus", 1, kMaxResourceAmount);
  }
}

Settings read_settings(const StudyFile& file) {
  static constexpr std::array<std::string_view, 11> kKeys{
      "study",    "trace",  "classes",     "partition",
      "value",    "mttr",   "servers",     "checkpoint_minutes",
      "from_day", "to_day", "server_vcpus"};
  const ConfigNode& root = file.root;
  require_known_keys(root, "study", kKeys);
  Settings settings;
  settings.traces = read_traces(require_key(root, "study", "trace"), file.folder);
  read_options(root, settings.options);
  read_axis(root, "classes", settings.classes,
            [](const ConfigNode& item) { return read_integer(item, "classes", 1, kMostServers); });
  read_axis(root, "partition", settings.partitions, read_word("partition", parse_partition));
  read_axis(root, "value", settings.values, read_word("value", parse_value));
  read_axis(root, "mttr", settings.mttrs, read_word("mttr", parse_mttr));
  read_axis(root, "checkpoint_minutes", settings.checkpoint_minutes, [](const ConfigNode& item) {
    const double minutes = read_number(item, "checkpoint_minutes", 0, kMostMinutes);
    if (minutes > 0) return minutes;
    throw_bad_value(item, "checkpoint_minutes", "a number above 0");
  });
  return settings;
}

template <class T, class Label>
Axis labelled(const char* name, const std::vector<T>& values, const Label& label) {
  Axis made{name, name, {}};
  for (const T& value : values) {
    const std::string text(label(value));
    made.values.push_back({text, text, text});
  }
  return made;
}

std::vector<Axis> axes_of(const Settings& settings) {
  Axis classes{"classes", "classes", {}};
  for (const std::int64_t each : settings.classes) {
    classes.values.push_back({each, std::to_string(each), std::to_string(each)});
  }
  Axis minutes{"checkpoint_minutes", "checkpoint_minutes", {}};
  for (const double each : settings.checkpoint_minutes) {
    minutes.values.push_back({each, fmt::format("{}", each), fmt::format("{}", each)});
  }
  return {
      labelled("trace", settings.traces, [](const CapacityTraceSpec& each) { return each.label; }),
      classes,
      labelled("partition", settings.partitions, partition_name),
      labelled("value", settings.values, value_name),
      labelled("mttr", settings.mttrs, mttr_name),
      minutes};
}

ClassesRun run_at(const Settings& settings, const Coordinates& at) {
  return {.classes = static_cast<std::size_t>(settings.classes[at[1]]),
          .partition = settings.partitions[at[2]],
          .pricing = {.checkpoint_hours = settings.checkpoint_minutes[at[5]] / 60,
                      .mttr = settings.mttrs[at[4]],
                      .rule = settings.values[at[3]]}};
}

Experiment load(const Settings& settings, PolicyLoader& loader) {
  Experiment experiment{.schema = schema(),
                        .axes = axes_of(settings),
                        .group_axes = 2,  // trace, number of classes
                        .configuration = settings.json()};
  std::vector<std::shared_ptr<const LoadedTrace>> traces;
  for (const CapacityTraceSpec& spec : settings.traces) {
    const auto loaded =
        std::make_shared<const LoadedTrace>(load_trace(spec, settings.options, loader));
    for (const std::int64_t classes : settings.classes) {
      loaded->require_classes(static_cast<std::size_t>(classes));
    }
    experiment.inputs.push_back(
        {.label = spec.label, .sha256 = loaded->trace.sha256, .name = spec.label});
    traces.push_back(loaded);
  }
  experiment.run_group = [settings, traces, grid = experiment.grid()](
                             const RunGroup& /*group*/, std::span<const std::size_t> pending,
                             const RecordMeasures& record) {
    for (const std::size_t run : pending) {
      const Coordinates at = grid.coordinates(run);
      const LoadedTrace& trace = *traces[at[0]];
      const ClassesRun wanted = run_at(settings, at);
      const Partition cut =
          partition(trace.capacity, wanted.partition, wanted.classes, wanted.pricing);
      record(run, values_of(std::span(measures()), trace.measure(cut, wanted)));
    }
  };
  return experiment;
}

/// A row for each way to sell, and trace: a mean over partitions would be of none of them.
std::string classes_summary(ResultsDatabase& results, Timing /*timing*/) {
  TextTable table;
  table.add_column("trace", TextTable::Align::kLeft);
  table.add_column("classes");
  table.add_column("partition", TextTable::Align::kLeft);
  table.add_column("price", TextTable::Align::kLeft);
  table.add_column("MTTR", TextTable::Align::kLeft);
  for (const char* title : {"checkpoint (min)", "performance", "revenue", "of the maximum"}) {
    table.add_column(title);
  }
  SqliteStatement select(results.connection(),
                         "SELECT trace, classes, partition, value, mttr, checkpoint_minutes,"
                         " performance, revenue, revenue_of_maximum FROM run ORDER BY run_index");
  const auto percent = [&] { return fmt::format("{:.1f}%", 100 * select.read_number()); };
  std::string before;
  while (select.step()) {
    const std::string trace = select.read_text();
    std::vector<std::string> row{trace == before ? "" : trace,
                                 std::to_string(select.read_integer())};
    before = trace;
    for (int i = 0; i < 3; ++i) row.push_back(select.read_text());
    row.push_back(fmt::format("{:g}", select.read_number()));
    for (int i = 0; i < 3; ++i) row.push_back(percent());
    table.add_row(std::move(row));
  }
  return fmt::format("Classes of idle capacity: {}",
                     runs_line(results.finished_runs().size(), results.record().run_count)) +
         table.text() +
         "(revenue: relative to selling the usable idle time on demand; the maximum: every server "
         "in "
         "a class of its own)\n" +
         std::string(kSoldOnce);
}

}  // namespace

Study classes_study() {
  return {.name = "classes",
          .summary = "what idle capacity earns in classes with guaranteed times to revocation",
          .schema = schema,
          .read = [](const StudyFile& file) -> LoadExperiment {
            return [settings = read_settings(file), loader = file.policies] {
              return load(settings, *loader);
            };
          },
          .summary_text = classes_summary};
}

}  // namespace cospot
