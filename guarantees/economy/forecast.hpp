#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cospot {

/// A forecast of a series: a value for each of the next periods with the standard deviation of its
/// error. If all of them are the same, one stands for all.
struct Forecast {
  std::vector<double> point{};  ///< never empty
  std::vector<double> sigma{};  ///< as many
  std::string model{};          ///< what was chosen, such as ARIMA(1,1,0)
  std::string note{};           ///< why it is not what was asked for; empty: it is
};

// `training` is not empty. Source: Carvalho et al., sections 4.1 and 5.1.

/// The mean, with the standard deviation of the series (of a sample: divided by n - 1).
[[nodiscard]] Forecast mean_forecast(std::span<const double> training);

/// The minimum, without an interval.
[[nodiscard]] Forecast minimum_forecast(std::span<const double> training);

/// Simple exponential smoothing, ETS(A,N,N): the last level, and an error that grows with each of
/// `horizon` periods. The smoothing constant has the least squares of one-step errors, of 0.001 to
/// 0.999 in steps of a thousandth; the first level is the mean of the first ten values. Source:
/// Hyndman et al., "Forecasting with Exponential Smoothing", class 1 models.
[[nodiscard]] Forecast smoothed_forecast(std::span<const double> training, std::size_t horizon);

/// A forecaster that needs no other program.
struct BuiltInForecaster {
  std::string_view name;
  Forecast (*make)(std::span<const double> training, std::size_t horizon);
};

/// All built-in forecasters; the first of those that are equally good is chosen.
[[nodiscard]] std::span<const BuiltInForecaster> built_in_forecasters();

/// The least value of what will be, without an interval: nobody can make it.
[[nodiscard]] Forecast oracle_forecast(std::span<const double> actual);

/// The value z that a normal error stays within by `confidence`, on both sides: 1.6449 for 0.9.
/// `confidence` is in [0, 1); 0: no interval, z = 0.
[[nodiscard]] double two_sided_z(double confidence);

/// The most that can be promised for all periods of a forecast: the least of its lower bounds.
[[nodiscard]] double lowest_bound(const Forecast& forecast, double confidence);

}  // namespace cospot
