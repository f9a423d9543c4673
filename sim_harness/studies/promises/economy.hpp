#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "guarantees/economy/backtest.hpp"
#include "guarantees/economy/slack.hpp"
#include "sim_harness/base/text/date_time.hpp"
#include "sim_harness/data/usage/forecast_file.hpp"
#include "sim_harness/data/usage/workload_usage.hpp"
#include "sim_harness/data/workloads/workload_spec.hpp"

namespace cospot {

/// The settings of Economy class promises except its axes; defaults are the paper's values.
struct EconomySettings {
  double period_hours = 24;
  double training_days = 274;         ///< 9 months
  double horizon_days = 182;          ///< 6 months
  std::optional<double> step_days{};  ///< nothing: the horizon
  double season_days = 0;             ///< of ARIMA and ETS; 0: none
  GapRule gaps = GapRule::kRefuse;
  PromiseSettings promise{};
  double bill_days = 30;  ///< 0: one bill per promise
  double opportunistic_price = 0.318;
  UsageResource resource = UsageResource::kVcpus;  ///< of workloads
  std::optional<std::int64_t> capacity{};          ///< of that resource, for workloads
  std::optional<std::filesystem::path> forecasts{};
  TimeZone zone{};  ///< of dates without an offset

  [[nodiscard]] SimTime period() const;
  [[nodiscard]] CycleSettings cycles() const;  ///< in periods
  [[nodiscard]] std::size_t season() const;    ///< in periods
  [[nodiscard]] PromiseSettings promise_at(double confidence) const;

  /// Errors: ConfigError if a length is not a whole number of periods, or if the training or the
  /// horizon has none.
  void check() const;
};

/// Usage over time, as the minimum slack of each period.
struct EconomyInput {
  std::string label;
  std::string sha256;
  std::string name;
  SlackPeriods periods;
  // Over all samples, relative to the capacity at the time; weighted by duration if a sample holds
  // until the next one.
  std::size_t samples = 0;
  double slack_mean = 0;
  double slack_p1 = 0;    ///< 1st percentile: 99 % of the samples have more slack
  std::string unit{};     ///< unit of amounts, for display; empty: not stated
  double unit_scale = 1;  ///< factor that converts amounts to that unit
  /// Properties of the usage that make a promise less reliable, one sentence each.
  std::vector<std::string> warnings{};
};

/// Loads usage: a usage file, a batch-job log, or the VMs of a workload. Errors: InputError (a
/// file, a gap); ConfigError for a capacity below the VMs' usage.
[[nodiscard]] EconomyInput load_economy_input(const WorkloadSpec& spec,
                                              const EconomySettings& settings);

/// Names the unit of a workload's amounts.
void name_unit_of_requests(const WorkloadSpec& spec, const EconomySettings& settings,
                           EconomyInput& input);

/// The cycles of a backtest. Errors: InputError if the periods hold none.
[[nodiscard]] std::vector<CycleData> cycles_of(const EconomyInput& input,
                                               const EconomySettings& settings);

/// A forecast per cycle by the named forecaster.
[[nodiscard]] std::vector<Forecast> make_forecasts(const std::string& forecaster,
                                                   std::span<const CycleData> cycles,
                                                   const EconomySettings& settings,
                                                   std::size_t processes);

/// The same for several forecasters and inputs at once, to call Python only once. Indexed by input,
/// then forecaster, then cycle.
[[nodiscard]] std::vector<std::vector<std::vector<Forecast>>> make_all_forecasts(
    std::span<const std::string> forecasters, std::span<const std::vector<CycleData>> inputs,
    const EconomySettings& settings, std::size_t processes);

/// The description of a prediction for another program.
[[nodiscard]] ForecastTask task_for(const std::string& forecaster, const CycleData& data,
                                    const EconomySettings& settings);

/// The SHA-256 of the values of forecasts.
[[nodiscard]] std::string sha256_of(std::span<const std::vector<Forecast>> forecasts);

}  // namespace cospot
