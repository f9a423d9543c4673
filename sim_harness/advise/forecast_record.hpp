#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sim_harness/base/json/json.hpp"
#include "sim_harness/experiments/summary/mean_interval.hpp"

namespace cospot {

/// Ways to forecast an amount of the next part of a history from those of its parts so far.
enum class PartForecast : std::uint8_t { kLast, kMean, kTrend };
[[nodiscard]] std::string_view forecast_name(PartForecast way);

/// The forecast of the next part by one way; a trend is the line of least squares. Args: so_far:
/// not empty.
[[nodiscard]] double forecast_by(PartForecast way, std::span<const double> so_far);

/// A forecast with its 90 % interval, and what came.
struct ForecastOrigin {
  PartForecast way = PartForecast::kLast;
  double forecast = 0;
  std::optional<double> half_width{};  ///< nothing before the first forecast that was compared
  double last = 0;                     ///< the amount of the part before, by the same setting
  double came = 0;

  [[nodiscard]] double error() const { return came - forecast; }
  [[nodiscard]] bool is_inside() const;
};

/// The forecast of the next part, and how well the forecasts of earlier parts did that were made in
/// the same way: from what was known when each part began.
struct ForecastRecord {
  double days = 0;  ///< of a part
  PartForecast way = PartForecast::kLast;
  double next = 0;
  std::optional<double> half_width{};     ///< of its 90 % interval
  std::vector<ForecastOrigin> origins{};  ///< one for each judged part

  /// The same of the mean over some days, in which the amount goes on changing from part to part as
  /// it did: that of a random walk.
  [[nodiscard]] std::optional<double> half_width_over(double days) const;

  /// The mean error, as a share of the mean amount that came.
  [[nodiscard]] std::optional<double> relative_error() const;
  [[nodiscard]] std::size_t with_interval() const;
  [[nodiscard]] std::size_t inside() const;
};

/// Forecasts that the last part's amount comes again, unless another way's errors at the origins
/// before were clearly smaller: in sum less than 0.6 of its, at three origins or more. The interval
/// is Student's around it, by the root of the mean square of the errors of the forecasts that were
/// made; each error weighs 0.7 of the one after it.
///
/// Args: judged: for each judged part, what the setting chosen for it earned in each part before it
/// and in itself; now: what the setting to deploy earned in each part; days: of a part.
[[nodiscard]] ForecastRecord forecast_record(std::span<const std::vector<double>> judged,
                                             std::span<const double> now, double days);

/// The next month, and the record as amounts of a month. Args: record: of amounts a day.
[[nodiscard]] Json forecast_json(const ForecastRecord& record);

}  // namespace cospot
