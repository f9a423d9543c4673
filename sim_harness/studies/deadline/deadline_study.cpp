#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/customer/deadline/deadline_strategies.hpp"
#include "sim_harness/customer/deadline/spell_history.hpp"
#include "sim_harness/experiments/grid/axis.hpp"
#include "sim_harness/experiments/grid/stored_axes.hpp"
#include "sim_harness/experiments/results/measure.hpp"
#include "sim_harness/studies/deadline/deadline_text.hpp"
#include "sim_harness/studies/deadline/trace_spec.hpp"
#include "sim_harness/studies/studies.hpp"

namespace cospot {
namespace {

constexpr double kMaxHours = 1e5;
constexpr double kMaxPrice = 1e6;

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const DeadlineStrategyEntry& entry : deadline_strategies()) names.emplace_back(entry.name);
  return names;
}

const std::vector<Measure<DeadlineResult>>& run_measures() {
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

/// A run, and what tells a customer where and when it was.
struct DeadlineFigures {
  DeadlineResult run{};
  std::string type{};                          ///< of the instances; empty: not stated
  std::string history{};                       ///< the file, which its windows and types share
  double start_hours = 0;                      ///< of the job, since the history began
  double spot_price = 0, on_demand_price = 0;  ///< USD/h
  bool net_before_loss = false;
  std::string now{};  ///< what the strategy runs first if the job starts when the history ends
};

const std::vector<Measure<DeadlineFigures>>& measures() {
  using D = DeadlineFigures;
  static const std::vector<Measure<D>> made = [] {
    std::vector<Measure<D>> all = measures_of<&D::run>(run_measures());
    const auto detail = [](const char* name, const char* unit, const char* meaning) {
      return Column{.name = name, .role = ColumnRole::kDetail, .unit = unit, .meaning = meaning};
    };
    append(all,
           {measure<&D::type>(detail("type", "", "instance type of the trace; empty: not stated")),
            measure<&D::history>(detail("history", "", "what the trace is a window or a type of")),
            measure<&D::start_hours>(
                detail("start_in_history_hours", "h", "of the job, since the history began")),
            measure<&D::spot_price>(
                detail("paid_spot_price", "USD/h",
                       "of a spot of the type; mean over the capacity up to the deadline")),
            measure<&D::on_demand_price>(
                detail("paid_on_demand_price", "USD/h", "of an on-demand instance of the type")),
            measure<&D::net_before_loss>(
                detail("net_before_loss", "0 or 1",
                       "a safety net moved the job to on-demand before any loss of capacity")),
            measure<&D::now>(
                detail("now", "",
                       "what the strategy runs first if the job starts at the end of the history: "
                       "spot, on_demand or nothing; empty: it may be late or knows the future"))});
    return all;
  }();
  return made;
}

/// A price of an hour, USD; nothing: that of each trace or type.
struct HourPrice {
  std::optional<double> usd{};

  friend bool operator==(const HourPrice&, const HourPrice&) = default;
};

AxisValue axis_value(const HourPrice& price) {
  return price.usd ? cospot::axis_value(*price.usd) : AxisValue{Value(), "", ""};
}
Json setting_json(const HourPrice& price) { return json_of(price.usd); }
constexpr ColumnType axis_type(const HourPrice* /*tag*/) { return ColumnType::kNumber; }

/// The study's description of an instance type.
struct DeadlineType {
  std::string name;
  double on_demand = 0;  ///< USD/h
  double speed = 1;      ///< work that an hour on it does
};

/// A file of the study, read. The usual settings of the paper's evaluation stand for what is left
/// out.
struct Settings {
  std::vector<TraceSpec> traces{};
  std::vector<std::string> strategies{};
  std::vector<double> duration{48}, deadline{52, 70}, overhead{0.2}, start{0};
  std::vector<HourPrice> spot_price{};  ///< empty: that of the traces
  std::vector<HourPrice> on_demand_price{HourPrice{3.06}};
  std::vector<DeadlineType> types{};
};

std::vector<std::string> read_strategies(const StudyFile& file) {
  const ConfigNode* node = file.root.find("strategy");
  if (node == nullptr) return strategy_names();
  return read_distinct(*node, "strategy", [](const ConfigNode& item) {
    return read_name(item, "strategy", strategy_names());
  });
}

const Axis<Settings, TraceSpec> kTraceAxis{
    .name = "trace",
    .meaning = "label of the availability trace",
    .values = &Settings::traces,
    .read_all = [](const StudyFile& file, const Settings&) {
      return read_trace_specs(require_key(file.root, "study", "trace"), file.folder);
    }};
const Axis<Settings, std::string> kStrategyAxis{
    .name = "strategy",
    .meaning = "what chooses the capacity",
    .values = &Settings::strategies,
    .read_all = [](const StudyFile& file, const Settings&) { return read_strategies(file); }};
const Axis<Settings, double> kDurationAxis{
    .name = "duration_hours",
    .unit = "h",
    .meaning = "the job's work",
    .values = &Settings::duration,
    .read = [](const auto& item, auto key) { return read_number(item, key, 1e-3, kMaxHours); }};
const Axis<Settings, double> kDeadlineAxis{
    .name = "deadline_hours",
    .unit = "h",
    .meaning = "after the start",
    .values = &Settings::deadline,
    .read = [](const auto& item, auto key) { return read_number(item, key, 1e-3, kMaxHours); }};
const Axis<Settings, double> kOverheadAxis{
    .name = "overhead_hours",
    .unit = "h",
    .meaning = "without work after each start of an instance",
    .values = &Settings::overhead,
    .read = [](const auto& item, auto key) { return read_number(item, key, 0, kMaxHours); }};
const Axis<Settings, double> kStartAxis{
    .name = "start_hours",
    .unit = "h",
    .meaning = "of the job, in the trace",
    .values = &Settings::start,
    .read = [](const auto& item, auto key) { return read_number(item, key, 0, kMaxHours); }};
HourPrice read_hour_price(const ConfigNode& item, std::string_view key) {
  return {read_number(item, key, 0, kMaxPrice)};
}
const Axis<Settings, HourPrice> kSpotPriceAxis{
    .name = "spot_price",
    .unit = "USD/h",
    .meaning = "of a spot; empty: that of each trace",
    .values = &Settings::spot_price,
    .read_all = [](const StudyFile& file, const Settings&) -> std::vector<HourPrice> {
      const ConfigNode* node = file.root.find("spot_price");
      if (node == nullptr) return {};
      return read_distinct(*node, "spot_price", [](const ConfigNode& item) {
        return read_hour_price(item, "spot_price");
      });
    },
    .may_be_null = true};
const Axis<Settings, HourPrice> kOnDemandPriceAxis{
    .name = "on_demand_price",
    .unit = "USD/h",
    .meaning = "of an on-demand instance; empty: that of each type",
    .values = &Settings::on_demand_price,
    .read = [](const auto& item, auto key) { return read_hour_price(item, key); },
    .may_be_null = true};

const Fields<DeadlineType> kTypeFields{
    required(number_field("on_demand", &DeadlineType::on_demand, 0, kMaxPrice)),
    number_field("speed", &DeadlineType::speed, 1e-3, 1e3)};

void read_types(const StudyFile& file, Settings& settings) {
  const ConfigNode* node = file.root.find("types");
  if (node == nullptr) return;
  if (node->kind != ConfigNode::Kind::kMapping) throw_bad_value(*node, "types", "a mapping");
  if (const ConfigNode* price = file.root.find("on_demand_price")) {
    throw ConfigError(fmt::format("{}: expected one of the keys types, on_demand_price",
                                  key_place(*price, "on_demand_price")));
  }
  for (const ConfigEntry& entry : node->entries) {
    const std::string subject = "types." + entry.key;
    DeadlineType type = kTypeFields.read_all(entry.value, subject);
    type.name = entry.key;
    settings.types.push_back(std::move(type));
  }
  settings.on_demand_price.assign(1, HourPrice{});
}

const Setting<Settings> kTypes{.keys = {"types"},
                               .read = read_types,
                               .write = [](const Settings& settings, Json& configuration) {
                                 if (settings.types.empty()) return;
                                 Json& types = configuration["types"] = Json::object();
                                 for (const DeadlineType& one : settings.types) {
                                   types[one.name] = kTypeFields.json(one);
                                 }
                               }};

const SettingTable<Settings>& table() {
  static const SettingTable<Settings> made(
      "study", {kTraceAxis, kStrategyAxis, kDurationAxis, kDeadlineAxis, kOverheadAxis, kStartAxis,
                kSpotPriceAxis, kOnDemandPriceAxis, kTypes});
  return made;
}

const Schema& schema() {
  static const Schema made{.study = "deadline",
                           .axes = table().columns(),
                           .measures = columns_of(std::span(measures()))};
  return made;
}

/// Refuses a job that not even on-demand alone does by the deadline, and a trace that is too short.
void check_case(const DeadlineJob& job, const AvailabilityTrace& trace, std::size_t start,
                const std::string& label) {
  const std::int64_t ticks = job.deadline / trace.tick;
  const std::int64_t needed = ticks_for(job.duration, job.overhead, trace.tick);
  if (ticks < needed) {
    throw ConfigError(fmt::format(
        "deadline_hours: found {:g}, expected at least {:g}: {:g} h of work and {:g} h of overhead "
        "in whole ticks of trace {}",
        hours_of(job.deadline), hours_of(needed * trace.tick), hours_of(job.duration),
        hours_of(job.overhead), label));
  }
  const std::int64_t end = static_cast<std::int64_t>(start) + ticks;
  if (end <= static_cast<std::int64_t>(trace.capacity.size())) return;
  throw ConfigError(fmt::format(
      "trace {}: holds {:g} h, expected at least {:g}: start_hours {:g} and deadline_hours {:g}",
      label, hours_of(trace.length()), hours_of(end * trace.tick),
      hours_of(static_cast<std::int64_t>(start) * trace.tick), hours_of(job.deadline)));
}

/// The inputs that all runs share.
struct Inputs {
  Settings settings;
  std::vector<AvailabilityTrace> traces;

  using At = GridPoint<Settings>;

  /// Null: the study describes no types.
  [[nodiscard]] const DeadlineType* type_at(const At& at) const {
    if (settings.types.empty()) return nullptr;
    const TraceSpec& trace = at.get(kTraceAxis);
    const auto found = std::ranges::find(settings.types, trace.type, &DeadlineType::name);
    if (found != settings.types.end()) return &*found;
    std::vector<std::string> names;
    for (const DeadlineType& one : settings.types) names.push_back(one.name);
    throw ConfigError(fmt::format("trace {}: has the type '{}', expected one of the key types: {}",
                                  trace.label, trace.type, fmt::join(names, ", ")));
  }

  /// True if each tick costs what the trace says.
  [[nodiscard]] bool pays_ticks(const At& at) const {
    return !at.get(kSpotPriceAxis).usd && !traces[at.index(kTraceAxis)].prices.empty();
  }

  [[nodiscard]] DeadlineJob job_at(const At& at) const {
    const DeadlineType* type = type_at(at);
    const std::optional<double>& stated = traces[at.index(kTraceAxis)].spot_price;
    return {
        .duration = time_of_hours(at.get(kDurationAxis) / (type ? type->speed : 1)),
        .deadline = time_of_hours(at.get(kDeadlineAxis)),
        .overhead = time_of_hours(at.get(kOverheadAxis)),
        .spot_price = pays_ticks(at) ? 0 : at.get(kSpotPriceAxis).usd.value_or(stated.value_or(0)),
        .on_demand_price = type ? type->on_demand : *at.get(kOnDemandPriceAxis).usd};
  }

  /// The tick of the trace in which the job starts.
  [[nodiscard]] std::size_t start_at(const At& at) const {
    const SimTime tick = traces[at.index(kTraceAxis)].tick;
    return at.get(kTraceAxis).window.value_or(0) +
           static_cast<std::size_t>(time_of_hours(at.get(kStartAxis)) / tick);
  }

  void check(const At& at) const {
    const AvailabilityTrace& trace = traces[at.index(kTraceAxis)];
    const std::string& label = at.get(kTraceAxis).label;
    check_case(job_at(at), trace, start_at(at), label);
  }

  /// The knowledge of the capacity before a tick of the trace.
  [[nodiscard]] SpellHistory history_before(const At& at, std::size_t tick) const {
    return spells_before(traces[at.index(kTraceAxis)], tick, at.get(kTraceAxis).quote);
  }

  [[nodiscard]] DeadlineFigures run(const At& at) const {
    const AvailabilityTrace& trace = traces[at.index(kTraceAxis)];
    DeadlineCase one{.job = job_at(at), .tick = trace.tick, .spot = {}};
    const std::size_t first = start_at(at);
    const auto end = first + static_cast<std::size_t>(one.job.deadline / trace.tick);
    one.spot.reserve(end - first);
    double prices = 0, ticks = 0;
    for (std::size_t i = first; i < end; ++i) {
      one.spot.push_back(trace.capacity[i] > 0);
      if (!pays_ticks(at)) continue;
      one.spot_prices.push_back(trace.prices[i]);
      if (!one.spot.back()) continue;
      prices += trace.prices[i];
      ++ticks;
    }
    const DeadlineStrategyEntry& entry = find_deadline_strategy(at.get(kStrategyAxis));
    const SpellHistory history = history_before(at, first);
    const DeadlineResult result = run_deadline(one, *entry.make(one, history), entry.safety_net);
    return {.run = result,
            .type = at.get(kTraceAxis).type,
            .history = at.get(kTraceAxis).input,
            .start_hours = hours_of(trace.tick * static_cast<std::int64_t>(first)),
            .spot_price = ticks > 0 ? prices / ticks : one.job.spot_price,
            .on_demand_price = one.job.on_demand_price,
            .net_before_loss = result.net_before_loss,
            .now = now(at)};
  }

  /// The choice for the first tick after the trace: there is capacity if there was at its end.
  [[nodiscard]] std::string now(const At& at) const {
    const DeadlineStrategyEntry& entry = find_deadline_strategy(at.get(kStrategyAxis));
    if (!entry.safety_net) return "";
    const AvailabilityTrace& trace = traces[at.index(kTraceAxis)];
    DeadlineCase one{.job = job_at(at), .tick = trace.tick, .spot = {}};
    const bool is_up = trace.capacity.back() > 0;
    one.spot.assign(static_cast<std::size_t>(one.job.deadline / trace.tick), is_up);
    if (pays_ticks(at)) one.spot_prices.assign(one.spot.size(), trace.prices.back());
    // Its last tick is the one in which the job starts.
    const SpellHistory history = history_before(at, trace.capacity.size() - 1);
    constexpr std::array kNames{"nothing", "spot", "on_demand"};
    const Capacity choice = first_choice(one, *entry.make(one, history));
    return kNames[static_cast<std::size_t>(choice)];
  }
};

constexpr double kPriceOfPaper = 0.97;

/// The price of spots where the file has none: that of the traces, if they state one; each its own
/// if these differ or change.
HourPrice price_of_traces(const Inputs& inputs) {
  if (std::ranges::all_of(inputs.traces,
                          [](const auto& one) { return one.spot_price.has_value(); }) &&
      std::ranges::any_of(inputs.traces, [&](const auto& one) {
        return !one.prices.empty() || one.spot_price != inputs.traces.front().spot_price;
      })) {
    return {};
  }
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < inputs.traces.size(); ++i) {
    const std::optional<double>& price = inputs.traces[i].spot_price;
    const std::optional<double>& known = inputs.traces[first.value_or(i)].spot_price;
    if (price != known) {
      const auto text = [](const std::optional<double>& one) {
        return one ? fmt::format("{:g}", *one) : "none";
      };
      throw ConfigError(fmt::format(
          "trace: {} states a spot price of {} and {} of {}, expected one of each, or the key "
          "spot_price",
          inputs.settings.traces[first.value_or(i)].label, text(known),
          inputs.settings.traces[i].label, text(price)));
    }
    first = first.value_or(i);
  }
  return {inputs.traces.front().spot_price.value_or(kPriceOfPaper)};
}

std::vector<std::string> warnings_of(const Settings& settings, const Inputs& inputs) {
  const std::optional<double>& stated = inputs.traces.front().spot_price;
  if (stated && *stated != kPriceOfPaper &&
      settings.on_demand_price == Settings{}.on_demand_price) {
    return {fmt::format(
        "on_demand_price is {:g} USD/h as in the paper, but the trace states a spot price of {:g}: "
        "state the on_demand_price of the same kind of instance",
        *settings.on_demand_price.front().usd, *stated)};
  }
  if (!settings.types.empty() || !settings.spot_price.front().usd) return {};  // the summary warns
  const auto usd = [](const HourPrice& price) { return *price.usd; };
  const double dearest = *std::ranges::max(settings.spot_price, {}, usd).usd;
  const double on_demand = *std::ranges::min(settings.on_demand_price, {}, usd).usd;
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
    const bool is_known =
        std::ranges::find(records, spec.input, &InputRecord::label) != records.end();
    if (spec.file.empty() || is_known) continue;
    records.push_back({.label = spec.input,
                       .sha256 = sha256_hex(read_stored_file(spec.file)),
                       .name = spec.input});
  }
  if (settings.spot_price.empty()) settings.spot_price = {price_of_traces(*inputs)};
  inputs->settings = settings;
  Experiment experiment{.schema = schema(),
                        .axes = table().axes(settings),
                        .group_by = axis_names(kTraceAxis, kStrategyAxis),
                        .configuration = compact_json(table().json(settings)),
                        .inputs = std::move(records),
                        .warnings = warnings_of(settings, *inputs)};
  mark_upper_bound(experiment.axes, kStrategyAxis.name, "optimal");
  const Grid grid = experiment.grid();
  for (std::size_t run = 0; run < grid.run_count(); ++run) {
    const auto at = table().at(inputs->settings, grid.coordinates(run));
    if (at.index(kStrategyAxis) == 0) inputs->check(at);  // every job, before the first run
  }
  experiment.run_group = [inputs, grid](const RunGroup& /*group*/,
                                        std::span<const std::size_t> pending,
                                        const RecordRun& record) {
    const StopToken stop = current_stop_token();
    for (const std::size_t run : pending) {
      stop.check();
      record(run, values_of(std::span(measures()),
                            inputs->run(table().at(inputs->settings, grid.coordinates(run)))));
    }
  };
  return experiment;
}

}  // namespace

Study deadline_study() {
  return {
      .name = "deadline",
      .summary = "one job with a deadline, on spots that come and go",
      .page = "docs/deadline.md",
      .schema = schema,
      .read = [](const StudyFile& file) -> LoadExperiment {
        return [settings = table().read(file)] { return load(settings); };
      },
      .figures =
          [](const Schema&) {
            return StudyFigures{
                .figures = {
                    {.name = "cost_in_time",
                     .title = "cost with a strategy that keeps deadlines",
                     .unit = FigureUnit::kNumber,
                     .meaning = "cost, USD; empty: the strategy may be late, or knows the future",
                     .sql = "CASE WHEN now <> '' AND MIN(met_deadline) OVER (PARTITION BY "
                            "strategy, type) = 1 "
                            "THEN cost END",
                     .better = Better::kLow},
                    {.name = "cost",
                     .title = "cost of the job",
                     .unit = FigureUnit::kNumber,
                     .better = Better::kLow},
                    {.name = "spot_hours",
                     .title = "hours on spots",
                     .unit = FigureUnit::kNumber,
                     .decimals = 1}}};
          },
      .summarise = deadline_summary,
      .samples = {"trace", "start_hours"}};
}

}  // namespace cospot
