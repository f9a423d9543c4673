#include "sim_harness/experiments/summary/mean_interval.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <vector>

namespace cospot {

double t_quantile(std::size_t count) {
  return boost::math::quantile(boost::math::students_t(static_cast<double>(count) - 1), 0.975);
}

MeanInterval mean_interval(std::span<const double> values) {
  return mean_interval(values, values.size());
}

MeanInterval mean_interval(std::span<const double> values, std::size_t independent) {
  MeanInterval result;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) result.mean += value / count;
  if (values.size() < 2 || independent < 2) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.half_width =
      t_quantile(independent) * std::sqrt(squares / (count - 1) / static_cast<double>(independent));
  return result;
}

MeanInterval ratio_interval(std::span<const double> amounts, std::span<const double> by) {
  const double mean_by = mean_interval(by).mean;
  MeanInterval result{.mean = mean_interval(amounts).mean / mean_by};
  std::vector<double> residuals;
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    residuals.push_back(amounts[i] - result.mean * by[i]);
  }
  result.half_width = mean_interval(residuals).half_width;
  if (result.half_width) *result.half_width /= mean_by;
  return result;
}

bool is_above_zero(const MeanInterval& mean) {
  return mean.half_width && mean.mean - *mean.half_width > 0;
}

Json mean_json(const std::optional<MeanInterval>& mean) {
  return {{"mean", json_of(mean ? std::optional(mean->mean) : std::nullopt)},
          {"half_width_95", json_of(mean ? mean->half_width : std::nullopt)}};
}

}  // namespace cospot
