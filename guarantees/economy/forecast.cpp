#include "guarantees/economy/forecast.hpp"

#include <algorithm>
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
