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
#include "sim_harness/data/usage/forecast_file.hpp"
#include "sim_harness/data/usage/workload_usage.hpp"
#include "sim_harness/data/workloads/workload_spec.hpp"

namespace cospot {

/// Everything about promises of the Economy class but its axes, with the paper's values.
struct EconomySettings {
  double period_hours = 24;
  double training_days = 274;         ///< 9 months
  double horizon_days = 182;          ///< 6 months
  std::optional<double> step_days{};  ///< nothing: the horizon
  double season_days = 0;             ///< of ARIMA and ETS; 0: none
  GapRule gaps = GapRule::kRefuse;
  PromiseSettings promise{};
  double bill_days = 30;  ///< 0: one bill a promise
  double opportunistic_price = 0.318;
  UsageResource resource = UsageResource::kVcpus;  ///< of workloads
  std::optional<std::int64_t> capacity{};          ///< of that resource, for workloads
  std::optional<std::filesystem::path> forecasts{};

  [[nodiscard]] SimTime period() const;
  [[nodiscard]] CycleSettings cycles() const;  ///< in periods
  [[nodiscard]] std::size_t season() const;    ///< in periods
  [[nodiscard]] PromiseSettings promise_at(double confidence) const;

  /// Errors: ConfigError when a length is not a whole number of periods, or the training or
  /// horizon has none.
  void check() const;
};

/// Usage over time, as the minima of its periods.
struct EconomyInput {
  std::string label;
  std::string sha256;
  std::string name;
  SlackPeriods periods;
  // Of all samples, relative to the capacity then; where they hold until the next, by their time.
  std::size_t samples = 0;
  double slack_mean = 0;
  double slack_p1 = 0;    ///< there is more slack in 99 % of them
  std::string unit{};     ///< what amounts are in, for people; empty: nobody said
  double unit_scale = 1;  ///< by which amounts are multiplied to be in that unit
  /// What of the usage makes a promise from it worth less than it says, a sentence each.
  std::vector<std::string> warnings{};
};

/// Loads usage: a file of usage over time, a log of batch jobs, or a workload, whose VMs count.
/// Errors: InputError (a file, a gap); ConfigError for a capacity below what the VMs use.
[[nodiscard]] EconomyInput load_economy_input(const WorkloadSpec& spec,
                                              const EconomySettings& settings);

/// The cycles of a backtest. Errors: InputError when the periods hold none.
[[nodiscard]] std::vector<CycleData> cycles_of(const EconomyInput& input,
                                               const EconomySettings& settings);

/// Errors: InputError when the periods are fewer than a first promise needs.
void check_training(const EconomyInput& input, const EconomySettings& settings);

/// A forecast for each of some cycles by the forecaster of that name.
[[nodiscard]] std::vector<Forecast> make_forecasts(const std::string& forecaster,
                                                   std::span<const CycleData> cycles,
                                                   const EconomySettings& settings,
                                                   std::size_t processes);

/// The same for several forecasters and inputs at once, so that Python is called once. By input,
/// then forecaster, then cycle.
[[nodiscard]] std::vector<std::vector<std::vector<Forecast>>> make_all_forecasts(
    std::span<const std::string> forecasters, std::span<const std::vector<CycleData>> inputs,
    const EconomySettings& settings, std::size_t processes);

/// What another program is told of a prediction.
[[nodiscard]] ForecastTask task_for(const std::string& forecaster, const CycleData& data,
                                    const EconomySettings& settings);

/// The SHA-256 of some forecasts' values.
[[nodiscard]] std::string sha256_of(std::span<const std::vector<Forecast>> forecasts);

}  // namespace cospot
