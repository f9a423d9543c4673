#include "guarantees/economy/forecast.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

namespace cospot {

Forecast mean_forecast(std::span<const double> training) {
  const auto count = static_cast<double>(training.size());
  double sum = 0;
  for (const double value : training) sum += value;
  const double mean = sum / count;
  double squares = 0;
  for (const double value : training) squares += (value - mean) * (value - mean);
  const double sigma = training.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
  return {.point = {mean}, .sigma = {sigma}, .model = "mean"};
}

Forecast minimum_forecast(std::span<const double> training) {
  return {.point = {*std::ranges::min_element(training)}, .sigma = {0}, .model = "minimum"};
}

namespace {

/// The result of a smoothing constant: the last level, and the squares of the one-step errors.
struct Smoothed {
  double level = 0;
  double squares = 0;
};

Smoothed smooth(std::span<const double> values, double alpha) {
  constexpr std::size_t kFirst = 10;
  const std::span<const double> first = values.first(std::min(kFirst, values.size()));
  Smoothed made;
  for (const double value : first) made.level += value / static_cast<double>(first.size());
  for (const double value : values) {
    const double error = value - made.level;
    made.squares += error * error;
    made.level += alpha * error;
  }
  return made;
}

}  // namespace

Forecast smoothed_forecast(std::span<const double> training, std::size_t horizon) {
  constexpr int kSteps = 1000;
  double best_alpha = 0;
  Smoothed best{.squares = std::numeric_limits<double>::infinity()};
  for (int step = 1; step < kSteps; ++step) {
    const double alpha = static_cast<double>(step) / kSteps;
    const Smoothed made = smooth(training, alpha);
    if (made.squares >= best.squares) continue;
    best = made;
    best_alpha = alpha;
  }
  const double count = std::max<double>(1, static_cast<double>(training.size()) - 1);
  Forecast forecast{.model = "ETS(A,N,N), alpha " + std::to_string(best_alpha).substr(0, 5)};
  for (std::size_t h = 0; h < std::max<std::size_t>(horizon, 1); ++h) {
    forecast.point.push_back(best.level);
    const double growth = 1 + static_cast<double>(h) * best_alpha * best_alpha;
    forecast.sigma.push_back(std::sqrt(best.squares / count * growth));
  }
  return forecast;
}

std::span<const BuiltInForecaster> built_in_forecasters() {
  using Training = std::span<const double>;
  static constexpr std::array<BuiltInForecaster, 3> kAll{
      {{"ses", smoothed_forecast},
       {"mean", [](Training training, std::size_t) { return mean_forecast(training); }},
       {"minimum", [](Training training, std::size_t) { return minimum_forecast(training); }}}};
  return kAll;
}

Forecast oracle_forecast(std::span<const double> actual) {
  return {.point = {*std::ranges::min_element(actual)}, .sigma = {0}, .model = "oracle"};
}

double two_sided_z(double confidence) {
  if (confidence <= 0) return 0;
  const double upper_tail = (1 - confidence) / 2;
  return boost::math::quantile(boost::math::complement(boost::math::normal(), upper_tail));
}

double lowest_bound(const Forecast& forecast, double confidence) {
  const double z = two_sided_z(confidence);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < forecast.point.size(); ++i) {
    least = std::min(least, forecast.point[i] - forecast.sigma[i] * z);
  }
  return least;
}

}  // namespace cospot
