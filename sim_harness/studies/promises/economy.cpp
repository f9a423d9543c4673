#include "sim_harness/studies/promises/economy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/base/tables/table_reader.hpp"
#include "sim_harness/data/jobs/job_log.hpp"
#include "sim_harness/data/usage/forecast_program.hpp"
#include "sim_harness/data/usage/job_usage.hpp"
#include "sim_harness/data/usage/usage_file.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/data/workloads/workload_schema.hpp"

namespace cospot {
namespace {

constexpr double kHoursPerDay = 24;

double periods_in(double days, double period_hours) { return days * kHoursPerDay / period_hours; }

std::size_t whole_periods(double days, double period_hours) {
  return static_cast<std::size_t>(std::llround(periods_in(days, period_hours)));
}

void check_length(const char* key, double days, double period_hours, double least) {
  constexpr double kTolerance = 1e-6;
  const double periods = periods_in(days, period_hours);
  if (std::abs(periods - std::round(periods)) <= kTolerance && periods >= least - kTolerance) {
    return;
  }
  throw ConfigError(fmt::format("{} is {}, expected a whole number of periods of {} h{}", key, days,
                                period_hours, least > 0 ? ", at least one" : ""));
}

/// The forecast if it needs no other program; nothing: another forecaster.
std::optional<Forecast> simple_forecast(const std::string& forecaster, const CycleData& data,
                                        std::size_t horizon) {
  for (const BuiltInForecaster& one : built_in_forecasters()) {
    if (forecaster == one.name) return one.make(data.training, horizon);
  }
  if (forecaster == "oracle") return oracle_forecast(data.actual);
  return std::nullopt;
}

/// The slack of a sample, and how much of the whole it counts as.
struct WeighedSlack {
  double slack = 0;
  double weight = 1;
};

void describe_slack(const UsageSeries& usage, EconomyInput& input) {
  std::vector<WeighedSlack> all;
  for (std::size_t i = 0; i < usage.samples.size(); ++i) {
    const UsageSample& sample = usage.samples[i];
    const auto slack = static_cast<double>(slack_of(sample).total());
    double weight = 1;
    if (usage.holds_until_next) {
      const bool is_last = i + 1 == usage.samples.size();
      weight = is_last ? 0 : static_cast<double>((usage.samples[i + 1].time - sample.time).count());
    }
    all.push_back({slack / static_cast<double>(sample.capacity), weight});
  }
  std::ranges::sort(all, {}, &WeighedSlack::slack);
  double weight = 0, sum = 0;
  for (const WeighedSlack& one : all) {
    weight += one.weight;
    sum += one.slack * one.weight;
  }
  input.samples = all.size();
  input.slack_mean = sum / weight;
  double before = 0;
  for (const WeighedSlack& one : all) {
    before += one.weight;
    input.slack_p1 = one.slack;
    if (before * 100 >= weight) break;
  }
}

/// The mean share of the capacity that is used in a part of the samples' time, from 0 to 1.
double mean_use(const UsageSeries& usage, double from, double to) {
  const auto first = static_cast<double>(usage.samples.front().time.count());
  const auto whole = static_cast<double>(usage.samples.back().time.count()) - first;
  double sum = 0;
  double weight = 0;
  for (std::size_t i = 0; i + 1 < usage.samples.size(); ++i) {
    const UsageSample& sample = usage.samples[i];
    const double begin = (static_cast<double>(sample.time.count()) - first) / whole;
    const double end = (static_cast<double>(usage.samples[i + 1].time.count()) - first) / whole;
    const double inside = std::min(end, to) - std::max(begin, from);
    if (inside <= 0) continue;
    sum += inside * static_cast<double>(sample.used) / static_cast<double>(sample.capacity);
    weight += inside;
  }
  return weight > 0 ? sum / weight : 0;
}

std::vector<std::string> usage_warnings(const UsageSeries& usage) {
  constexpr double kBeginning = 0.005;
  constexpr double kGrowth = 0.05;  // of the capacity, from the first quarter to the last
  std::vector<std::string> warnings;
  const auto percent = [](double share) { return fmt::format("{:.0f} %", 100 * share); };
  std::size_t above = 0;
  for (const UsageSample& sample : usage.samples) above += sample.used > sample.capacity ? 1 : 0;
  if (above > 0) {
    warnings.push_back(fmt::format(
        "{}: {} of {} samples use more than the capacity: are the two in one unit? nothing can be "
        "promised at such times",
        usage.name, above, usage.samples.size()));
  }
  const double beginning = mean_use(usage, 0, kBeginning);
  const double quarter = mean_use(usage, kBeginning, 0.25);
  if (quarter > kGrowth && beginning < quarter / 2) {
    warnings.push_back(fmt::format(
        "{}: begins with {} of the capacity in use, the rest of its first quarter has {} (cold "
        "start?): what was not in use yet would be promised; leave the beginning out "
        "(--window-start of an import, or fewer rows)",
        usage.name, percent(beginning), percent(quarter)));
  }
  std::array<double, 4> quarters{};
  for (std::size_t i = 0; i < quarters.size(); ++i) {
    quarters[i] = mean_use(usage, 0.25 * static_cast<double>(i), 0.25 * static_cast<double>(i + 1));
  }
  if (std::ranges::is_sorted(quarters) && quarters.back() - quarters.front() > kGrowth) {
    warnings.push_back(fmt::format(
        "{}: use grows from {} of the capacity in the first quarter to {} in the last: the "
        "built-in forecasters promise as if it did not go on; ets and arima follow a trend, or "
        "promise less",
        usage.name, percent(quarters.front()), percent(quarters.back())));
  }
  return warnings;
}

/// Refuses a table that has no column of usage, jobs or requests, and names those of all of them.
void require_known_table(const std::filesystem::path& file) {
  constexpr std::array<TableColumn, 3> kUsage{{{"time_s"}, {"capacity"}, {"used"}}};
  constexpr std::array<TableColumn, 2> kJobs{{{"submission_s"}, {"duration_s"}}};
  std::array<std::array<TableColumn, kWorkloadColumns>, kWorkloadSchemas.size()> requests;
  std::vector<TableFormat> formats{{.columns = kUsage}, {.columns = kJobs}};
  for (std::size_t i = 0; i < requests.size(); ++i) {
    for (std::size_t column = 0; column < kWorkloadColumns; ++column) {
      requests[i][column] = {kWorkloadSchemas[i].columns[column],
                             !may_be_left_out(static_cast<WorkloadColumn>(column))};
    }
    formats.push_back({.columns = requests[i], .has_other_columns = true});
  }
  formats.front().other_file = "; `cospot workload import` makes a workload of another table";
  const TableReader table(file, formats);
}

UsageSeries load_usage(const WorkloadSpec& spec, const EconomySettings& settings) {
  if (spec.is_file()) {
    if (is_usage_file(spec.file)) return read_usage(spec.file, settings.zone);
    if (is_job_log_file(spec.file)) {
      return usage_of_jobs(read_job_log(spec.file, settings.zone), settings.capacity);
    }
    require_known_table(spec.file);
  }
  if (!settings.zone.is_utc()) {
    throw ConfigError(fmt::format(
        "time_zone is {}, but {} is a workload, whose times are numbers since its window began; "
        "expected usage or jobs with dates, or no time_zone",
        settings.zone.name(), spec.label));
  }
  const UsageSeries usage = usage_of_vms(load_workload(spec), settings.capacity, settings.resource);
  for (const UsageSample& sample : usage.samples) {
    if (sample.used <= sample.capacity) continue;
    throw ConfigError(fmt::format("capacity is {}, expected at least what the VMs of {} use: {}",
                                  *settings.capacity, spec.label, sample.used / kSlackUnit));
  }
  return usage;
}

}  // namespace

SimTime EconomySettings::period() const { return time_of_hours(period_hours); }

CycleSettings EconomySettings::cycles() const {
  return {.training = whole_periods(training_days, period_hours),
          .horizon = whole_periods(horizon_days, period_hours),
          .step = whole_periods(step_days.value_or(horizon_days), period_hours)};
}

std::size_t EconomySettings::season() const { return whole_periods(season_days, period_hours); }

PromiseSettings EconomySettings::promise_at(double confidence) const {
  PromiseSettings settings = promise;
  settings.confidence = confidence;
  settings.penalty.bill_periods = whole_periods(bill_days, period_hours);
  return settings;
}

void EconomySettings::check() const {
  check_length("training_days", training_days, period_hours, 1);
  check_length("horizon_days", horizon_days, period_hours, 1);
  check_length("step_days", step_days.value_or(horizon_days), period_hours, 1);
  check_length("season_days", season_days, period_hours, 0);
  check_length("bill_days", bill_days, period_hours, 0);
}

void name_unit_of_requests(const WorkloadSpec& spec, const EconomySettings& settings,
                           EconomyInput& input) {
  const VcpusUnit unit = vcpus_unit_of(spec);
  if (settings.resource == UsageResource::kMemoryMb) {
    input.unit = unit.is_relative ? "units of memory" : "MiB";
  } else {
    input.unit = unit.is_relative ? "units" : "vCPUs";
    input.unit_scale = unit.vcpus;
  }
}

EconomyInput load_economy_input(const WorkloadSpec& spec, const EconomySettings& settings) {
  const UsageSeries usage = load_usage(spec, settings);
  EconomyInput input{.label = spec.label,
                     .sha256 = usage.sha256,
                     .name = usage.name,
                     .periods = period_minima(usage, settings.period(), settings.gaps)};
  describe_slack(usage, input);
  if (!spec.is_file() || !(is_usage_file(spec.file) || is_job_log_file(spec.file))) {
    name_unit_of_requests(spec, settings, input);
  } else if (!is_usage_file(spec.file)) {
    input.unit = "processors";
  }
  input.warnings = usage_warnings(usage);
  return input;
}

ForecastTask task_for(const std::string& forecaster, const CycleData& data,
                      const EconomySettings& settings) {
  return {.method = forecaster,
          .season = settings.season(),
          .horizon = settings.cycles().horizon,
          .training = data.training};
}

std::vector<CycleData> cycles_of(const EconomyInput& input, const EconomySettings& settings) {
  std::vector<CycleData> cycles = backtest_cycles(input.periods, settings.cycles());
  if (!cycles.empty()) return cycles;
  throw InputError(
      fmt::format("{}: {} periods of {} h, expected at least {}: {} days of training and a horizon "
                  "of {} days; state shorter ones, or shorter periods",
                  input.name, input.periods.size(), settings.period_hours,
                  settings.cycles().training + settings.cycles().horizon, settings.training_days,
                  settings.horizon_days));
}

std::vector<Forecast> make_forecasts(const std::string& forecaster,
                                     std::span<const CycleData> cycles,
                                     const EconomySettings& settings, std::size_t processes) {
  const std::vector<CycleData> input(cycles.begin(), cycles.end());
  return make_all_forecasts({&forecaster, 1}, {&input, 1}, settings, processes).front().front();
}

std::vector<std::vector<std::vector<Forecast>>> make_all_forecasts(
    std::span<const std::string> forecasters, std::span<const std::vector<CycleData>> inputs,
    const EconomySettings& settings, std::size_t processes) {
  const std::size_t horizon = settings.cycles().horizon;
  std::vector<ForecastTask> tasks;
  for (const std::vector<CycleData>& cycles : inputs) {
    for (const std::string& forecaster : forecasters) {
      for (const CycleData& data : cycles) {
        if (simple_forecast(forecaster, data, horizon)) continue;
        tasks.push_back(task_for(forecaster, data, settings));
      }
    }
  }
  const ForecastTable known = forecasts_for(tasks, settings.forecasts, processes);
  std::vector<std::vector<std::vector<Forecast>>> all;
  for (const std::vector<CycleData>& cycles : inputs) {
    auto& of_input = all.emplace_back();
    for (const std::string& forecaster : forecasters) {
      auto& of_forecaster = of_input.emplace_back();
      for (const CycleData& data : cycles) {
        const auto simple = simple_forecast(forecaster, data, horizon);
        of_forecaster.push_back(simple ? *simple
                                       : known.at(task_for(forecaster, data, settings).key()));
      }
    }
  }
  return all;
}

std::string sha256_of(std::span<const std::vector<Forecast>> forecasts) {
  Sha256 digest;
  for (const std::vector<Forecast>& cycles : forecasts) {
    for (const Forecast& forecast : cycles) {
      for (std::size_t i = 0; i < forecast.point.size(); ++i) {
        digest.add(fmt::format("{} {}\n", forecast.point[i], forecast.sigma[i]));
      }
    }
  }
  return digest.finish_hex();
}

}  // namespace cospot
