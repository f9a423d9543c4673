#include "sim_harness/advise/forecast_record.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "sim_harness/data/prices/price_list.hpp"

namespace cospot {
namespace {

/// A way replaces the last part's amount after so many origins at which its errors were smaller, in
/// sum less than this fraction of the other's: one lucky forecast is no reason.
constexpr std::size_t kLeastOrigins = 3;
constexpr double kClearlyBetter = 0.6;
/// The weight of an error in the interval, relative to that of the one after it: what a history did
/// lately says more of what it does next.
constexpr double kWeightOfOlder = 0.7;

constexpr std::array kWays{PartForecast::kLast, PartForecast::kMean, PartForecast::kTrend};

/// The errors of each way at the origins so far, and those of the forecasts that were made.
class Errors {
 public:
  [[nodiscard]] PartForecast best() const {
    const auto best = std::ranges::min_element(sums_);
    const bool is_clear = count_ >= kLeastOrigins && *best < kClearlyBetter * sums_.front();
    return is_clear ? kWays[static_cast<std::size_t>(best - sums_.begin())] : PartForecast::kLast;
  }

  [[nodiscard]] std::optional<double> half_width() const {
    if (count_ == 0) return std::nullopt;
    const double independent = weights_ * weights_ / squared_weights_;  // Kish's effective number
    return boost::math::quantile(boost::math::students_t(independent), 0.95) *
           std::sqrt(squares_ / weights_);
  }

  void add(std::span<const double> known, const ForecastOrigin& origin) {
    for (const PartForecast way : kWays) {
      sums_[static_cast<std::size_t>(way)] += std::abs(origin.came - forecast_by(way, known));
    }
    squares_ = kWeightOfOlder * squares_ + origin.error() * origin.error();
    weights_ = kWeightOfOlder * weights_ + 1;
    squared_weights_ = kWeightOfOlder * kWeightOfOlder * squared_weights_ + 1;
    ++count_;
  }

 private:
  std::array<double, kWays.size()> sums_{};
  double squares_ = 0;  // of the errors, weighted
  double weights_ = 0;
  double squared_weights_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

std::string_view forecast_name(PartForecast way) {
  static constexpr std::array<std::string_view, kWays.size()> kNames{"last part", "mean", "trend"};
  return kNames[static_cast<std::size_t>(way)];
}

double forecast_by(PartForecast way, std::span<const double> so_far) {
  if (way == PartForecast::kLast) return so_far.back();
  const double mean = mean_interval(so_far).mean;
  if (way == PartForecast::kMean || so_far.size() < 2) return mean;
  const auto count = static_cast<double>(so_far.size());
  double products = 0;
  double squares = 0;
  for (std::size_t i = 0; i < so_far.size(); ++i) {
    const double from_middle = static_cast<double>(i) - (count - 1) / 2;
    products += from_middle * (so_far[i] - mean);
    squares += from_middle * from_middle;
  }
  const double slope = products / squares;
  return mean + slope * count / 2 + slope / 2;
}

bool ForecastOrigin::is_inside() const { return half_width && std::abs(error()) <= *half_width; }

std::optional<double> ForecastRecord::relative_error() const {
  double errors = 0;
  double came = 0;
  for (const ForecastOrigin& origin : origins) {
    errors += std::abs(origin.error());
    came += origin.came;
  }
  return came > 0 ? std::optional(errors / came) : std::nullopt;
}

std::size_t ForecastRecord::with_interval() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      origins, [](const ForecastOrigin& origin) { return origin.half_width.has_value(); }));
}

std::size_t ForecastRecord::inside() const {
  return static_cast<std::size_t>(std::ranges::count_if(origins, &ForecastOrigin::is_inside));
}

std::optional<double> ForecastRecord::half_width_over(double over) const {
  const double parts = std::max(1.0, over / days);
  // The variance of the mean of a random walk's next steps, by that of one step.
  const double growth = parts / 3 + 0.5 + 1 / (6 * parts);
  return half_width ? std::optional(*half_width * std::sqrt(growth)) : std::nullopt;
}

ForecastRecord forecast_record(std::span<const std::vector<double>> judged,
                               std::span<const double> now, double days) {
  ForecastRecord record{.days = days};
  Errors errors;
  for (const std::vector<double>& earned : judged) {
    const std::span known = std::span(earned).first(earned.size() - 1);
    const PartForecast way = errors.best();
    record.origins.push_back({.way = way,
                              .forecast = forecast_by(way, known),
                              .half_width = errors.half_width(),
                              .last = known.back(),
                              .came = earned.back()});
    errors.add(known, record.origins.back());
  }
  record.way = errors.best();
  record.next = forecast_by(record.way, now);
  record.half_width = errors.half_width();
  return record;
}

Json forecast_json(const ForecastRecord& record) {
  const auto scaled = [](std::optional<double> amount) {
    return amount ? json_of(*amount * kDaysPerMonth) : Json();
  };
  return {{"next", scaled(record.next)},
          {"half_width_90", scaled(record.half_width_over(kDaysPerMonth))},
          {"by", forecast_name(record.way)},
          {"mean_error", json_of(record.relative_error())},
          {"origins", json_list_of(record.origins, [&](const ForecastOrigin& origin) {
             return Json{{"by", forecast_name(origin.way)},
                         {"forecast", scaled(origin.forecast)},
                         {"half_width_90", scaled(origin.half_width)},
                         {"last_part", scaled(origin.last)},
                         {"came", scaled(origin.came)}};
           })}};
}

}  // namespace cospot
