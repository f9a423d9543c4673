#include "sim_harness/studies/mean_interval.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "sim_harness/files/json_text.hpp"

namespace cospot {

MeanInterval mean_interval(std::span<const double> values) {
  MeanInterval result;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) result.mean += value / count;
  if (values.size() < 2) return result;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  const boost::math::students_t distribution(count - 1);
  result.half_width =
      boost::math::quantile(distribution, 0.975) * std::sqrt(squares / (count - 1) / count);
  return result;
}

std::string mean_json(const std::optional<MeanInterval>& mean, const char* half_width) {
  return JsonObject()
      .add("mean", json_number(mean ? std::optional(mean->mean) : std::nullopt))
      .add(half_width, json_number(mean ? mean->half_width : std::nullopt))
      .text();
}

}  // namespace cospot
