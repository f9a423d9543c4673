#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "guarantees/economy/forecast.hpp"

namespace cospot {

/// A forecasting task for another program: the series up to a prediction, and the horizon.
struct ForecastTask {
  std::string method;      ///< `arima`, `ets`, or a method of the other program
  std::size_t season = 0;  ///< periods; 0: none
  std::size_t horizon = 0;
  std::vector<double> training;

  /// The SHA-256 of the task: equal tasks have equal forecasts.
  [[nodiscard]] std::string key() const;
};

/// Forecasts by the key of their task.
using ForecastTable = std::map<std::string, Forecast>;

/// Writes the tasks for the other program, one per line:
/// `key,method,season,horizon,value value ...`.
[[nodiscard]] std::string forecast_tasks_text(std::span<const ForecastTask> tasks);

/// Reads forecasts: CSV `key,method,model,note,step,point,sigma`, one line per step from 1.
/// docs/economy.md describes it. Errors: WorkloadError with `file:line:`.
[[nodiscard]] ForecastTable read_forecasts(const std::filesystem::path& file);

/// The same file for one forecast.
[[nodiscard]] std::string forecast_text(std::string_view key, std::string_view method,
                                        const Forecast& forecast);

}  // namespace cospot
