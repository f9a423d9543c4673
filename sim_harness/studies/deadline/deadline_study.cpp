#include "sim_harness/studies/deadline/deadline_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/configuration/config_value.hpp"
#include "sim_harness/deadline/capacity_quote.hpp"
#include "sim_harness/deadline/deadline_strategies.hpp"
#include "sim_harness/files/json_text.hpp"
#include "sim_harness/files/stored_file.hpp"
#include "sim_harness/interrupt/stop_token.hpp"
#include "sim_harness/results/measure.hpp"
#include "sim_harness/studies/deadline/deadline_axes.hpp"
#include "sim_harness/studies/deadline/deadline_text.hpp"
#include "sim_harness/studies/deadline/trace_spec.hpp"
#include "sim_harness/studies/value_axes.hpp"

namespace cospot {
namespace {

constexpr double kMaxHours = 1e5;
constexpr double kMaxPrice = 1e6;

const std::vector<Measure<DeadlineResult>>& measures() {
  using D = DeadlineResult;
  static const std::vector<Measure<D>> all = [] {
    Column finished{.name = "finished_hours",
                    .unit = "h",
                    .meaning = "from the start to the end of the work; empty: it was never done"};
    finished.may_be_null = true;
    return std::vector<Measure<D>>{
        measure<&D::cost>({.name = "cost", .unit = "USD", .meaning = "of all instance-ticks"}),
        measure<&D::spot_hours>({.name = "spot_hours", .unit = "h", .meaning = "paid, on spots"}),
        measure<&D::on_demand_hours>(
            {.name = "on_demand_hours", .unit = "h", .meaning = "paid, on-demand"}),
        measure<&D::restarts>(
            {.name = "restarts", .unit = "starts", .meaning = "of an instance after the first"}),
        measure<&D::finished_hours>(finished),
        measure<&D::met_deadline>(
            {.name = "met_deadline", .unit = "0 or 1", .meaning = "the work was done in time"})};
  }();
  return all;
}

const Schema& schema() {
  const auto number = [](const char* name, const char* unit, const char* meaning) {
    return axis_column(name, ColumnType::kNumber, unit, meaning);
  };
  static const Schema made{
      .study = "deadline",
      .axes = {axis_column("trace", ColumnType::kText, "", "label of the availability trace"),
               axis_column("strategy", ColumnType::kText, "", "what chooses the capacity"),
               number("duration_hours", "h", "the job's work"),
               number("deadline_hours", "h", "after the start"),
               number("overhead_hours", "h", "without work after each start of an instance"),
               number("start_hours", "h", "of the job, in the trace"),
               number("spot_price", "USD/h", "of a spot"),
               number("on_demand_price", "USD/h", "of an on-demand instance")},
      .measures = columns_of(std::span(measures()))};
  return made;
}

/// A file of the study, read.
struct Settings {
  std::vector<TraceSpec> traces;
  std::vector<std::string> strategies;
  std::vector<double> duration, deadline, overhead, start, spot_price, on_demand_price;

  [[nodiscard]] std::string json() const {
    const auto numbers = [](const std::vector<double>& values) {
      return list_of(values, [](double value) { return json_number(value); });
    };
    return JsonObject()
        .add("trace", list_of(traces, trace_spec_json))
        .add("strategy", list_of(strategies, [](const auto& name) { return json_text(name); }))
        .add("duration_hours", numbers(duration))
        .add("deadline_hours", numbers(deadline))
        .add("overhead_hours", numbers(overhead))
        .add("start_hours", numbers(start))
        .add("spot_price", numbers(spot_price))
        .add("on_demand_price", numbers(on_demand_price))
        .text();
  }
};

Settings read_settings(const StudyFile& file) {
  static constexpr std::array<std::string_view, 9> kKeys{
      "study",          "trace",       "strategy",   "duration_hours", "deadline_hours",
      "overhead_hours", "start_hours", "spot_price", "on_demand_price"};
  const ConfigNode& root = file.root;
  require_known_keys(root, "study", kKeys);
  std::vector<std::string> names;
  for (const DeadlineStrategyEntry& entry : deadline_strategies()) names.emplace_back(entry.name);
  // The usual settings of the paper's evaluation stand for what is left out.
  return {.traces = read_trace_specs(require_key(root, "study", "trace"), file.folder),
          .strategies = read_names(root, "strategy", names),
          .duration = read_numbers(root, "duration_hours", {48}, 1e-3, kMaxHours),
          .deadline = read_numbers(root, "deadline_hours", {52, 70}, 1e-3, kMaxHours),
          .overhead = read_numbers(root, "overhead_hours", {0.2}, 0, kMaxHours),
          .start = read_numbers(root, "start_hours", {0}, 0, kMaxHours),
          .spot_price = read_numbers(root, "spot_price", {}, 0, kMaxPrice),
          .on_demand_price = read_numbers(root, "on_demand_price", {3.06}, 0, kMaxPrice)};
}

SimTime time_of(double hours) { return SimTime(std::llround(hours * 3600e6)); }

double hours(SimTime time) { return std::chrono::duration<double, std::ratio<3600>>(time).count(); }

/// Refuses a job that not even on-demand alone does by the deadline, and a trace that is too short.
void check_case(const DeadlineJob& job, const AvailabilityTrace& trace, SimTime start,
                const std::string& label) {
  const std::int64_t ticks = job.deadline / trace.tick;
  const std::int64_t needed = ticks_for(job.duration, job.overhead, trace.tick);
  if (ticks < needed) {
    throw ConfigError(fmt::format(
        "deadline_hours: found {:g}, expected at least {:g}: {:g} h of work and {:g} h of overhead "
        "in whole ticks of trace {}",
        hours(job.deadline), hours(needed * trace.tick), hours(job.duration), hours(job.overhead),
        label));
  }
  const std::int64_t end = start / trace.tick + ticks;
  if (end <= static_cast<std::int64_t>(trace.capacity.size())) return;
  throw ConfigError(fmt::format(
      "trace {}: holds {:g} h, expected at least {:g}: start_hours {:g} and deadline_hours {:g}",
      label, hours(trace.length()), hours(end * trace.tick), hours(start), hours(job.deadline)));
}

/// What all runs share.
struct Inputs {
  Settings settings;
  std::vector<AvailabilityTrace> traces;

  [[nodiscard]] DeadlineJob job_at(const Coordinates& at) const {
    return {.duration = time_of(settings.duration[at[kDurationAxis]]),
            .deadline = time_of(settings.deadline[at[kDeadlineAxis]]),
            .overhead = time_of(settings.overhead[at[kOverheadAxis]]),
            .spot_price = settings.spot_price[at[kSpotPriceAxis]],
            .on_demand_price = settings.on_demand_price[at[kOnDemandPriceAxis]]};
  }

  void check(const Coordinates& at) const {
    check_case(job_at(at), traces[at[kTraceAxis]], time_of(settings.start[at[kStartAxis]]),
               settings.traces[at[kTraceAxis]].label);
  }

  [[nodiscard]] DeadlineResult run(const Coordinates& at) const {
    const AvailabilityTrace& trace = traces[at[kTraceAxis]];
    DeadlineCase one{.job = job_at(at), .tick = trace.tick, .spot = {}};
    const auto first =
        static_cast<std::size_t>(time_of(settings.start[at[kStartAxis]]) / trace.tick);
    const auto end = first + static_cast<std::size_t>(one.job.deadline / trace.tick);
    one.spot.reserve(end - first);
    for (std::size_t i = first; i < end; ++i) one.spot.push_back(trace.capacity[i] > 0);
    const DeadlineStrategyEntry& entry =
        find_deadline_strategy(settings.strategies[at[kStrategyAxis]]);
    const CapacityQuote quote =
        settings.traces[at[kTraceAxis]].quote.value_or(quote_of(trace, first));
    return run_deadline(one, *entry.make(one, quote), entry.safety_net);
  }
};

std::vector<Axis> axes_of(const std::string& configuration) {
  const ConfigNode root = parse_yaml(configuration, "configuration");
  std::vector<Axis> axes{name_axis(root, "trace"), name_axis(root, "strategy")};
  for (const char* name : {"duration_hours", "deadline_hours", "overhead_hours", "start_hours",
                           "spot_price", "on_demand_price"}) {
    axes.push_back(number_axis(root, name));
  }
  return axes;
}

/// The price of spots where the file has none: that of the traces, if they state one.
double price_of_traces(const Inputs& inputs) {
  constexpr double kPriceOfPaper = 0.97;
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < inputs.traces.size(); ++i) {
    const std::optional<double>& price = inputs.traces[i].spot_price;
    const std::optional<double>& known = inputs.traces[first.value_or(i)].spot_price;
    if (price != known) {
      const auto text = [](const std::optional<double>& one) {
        return one ? fmt::format("{:g}", *one) : "none";
      };
      throw ConfigError(fmt::format(
          "trace: {} states a spot price of {} and {} of {}, expected one for all; state "
          "spot_price, or run them one by one with --set trace=FILE",
          inputs.settings.traces[first.value_or(i)].label, text(known),
          inputs.settings.traces[i].label, text(price)));
    }
    first = first.value_or(i);
  }
  return inputs.traces.front().spot_price.value_or(kPriceOfPaper);
}

std::vector<std::string> warnings_of(const Settings& settings) {
  const auto [least, dearest] = std::ranges::minmax(settings.spot_price);
  const double on_demand = std::ranges::min(settings.on_demand_price);
  if (dearest <= on_demand) return {};
  return {fmt::format("spots cost more than on-demand: spot_price {:g}, on_demand_price {:g} USD/h",
                      dearest, on_demand)};
}

Experiment load(Settings settings) {
  auto inputs = std::make_shared<Inputs>();
  inputs->settings = settings;
  std::vector<InputRecord> records;
  for (const TraceSpec& spec : settings.traces) {
    inputs->traces.push_back(load_trace(spec));
    if (spec.file.empty()) continue;
    records.push_back({.label = spec.label,
                       .sha256 = sha256_hex(read_stored_file(spec.file)),
                       .name = spec.label});
  }
  if (settings.spot_price.empty()) settings.spot_price = {price_of_traces(*inputs)};
  inputs->settings = settings;
  Experiment experiment{.schema = schema(),
                        .axes = axes_of(settings.json()),
                        .group_axes = kStrategyAxis + 1,
                        .configuration = settings.json(),
                        .inputs = std::move(records),
                        .warnings = warnings_of(settings)};
  const Grid grid = experiment.grid();
  for (std::size_t run = 0; run < grid.run_count(); ++run) {
    const Coordinates at = grid.coordinates(run);
    if (at[kStrategyAxis] == 0) inputs->check(at);  // every job, before the first run
  }
  experiment.run_group = [inputs, grid](const RunGroup& /*group*/,
                                        std::span<const std::size_t> pending,
                                        const RecordMeasures& record) {
    const StopToken stop = current_stop_token();
    for (const std::size_t run : pending) {
      stop.check();
      record(run, values_of(std::span(measures()), inputs->run(grid.coordinates(run))));
    }
  };
  return experiment;
}

}  // namespace

Study deadline_study() {
  return {.name = "deadline",
          .summary = "one job with a deadline, on spots that come and go",
          .schema = schema,
          .read = [](const StudyFile& file) -> LoadExperiment {
            return [settings = read_settings(file)] { return load(settings); };
          },
          .summary_text = deadline_text,
          .summary_json = deadline_json};
}

}  // namespace cospot
