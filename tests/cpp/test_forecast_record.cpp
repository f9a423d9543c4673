// The forecast of the next part, judged at each part that has come.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "sim_harness/advise/forecast_record.hpp"

namespace cospot {
namespace {

using Amounts = std::vector<double>;

TEST_CASE("forecast_by: the last amount, the mean, and the line of least squares") {
  const Amounts amounts{10, 12, 20};
  CHECK(forecast_by(PartForecast::kLast, amounts) == 20);
  CHECK(forecast_by(PartForecast::kMean, amounts) == doctest::Approx(14));
  // Slope: (-1 x (10 - 14) + 1 x (20 - 14)) / 2 = 5; two steps after the middle: 14 + 10.
  CHECK(forecast_by(PartForecast::kTrend, amounts) == doctest::Approx(24));
  CHECK(forecast_by(PartForecast::kTrend, Amounts{7}) == 7);
}

TEST_CASE("forecast_record: each origin forecasts by what was best before it") {
  // A line, which the trend meets from the third amount on; each origin knows one amount more.
  const std::vector<Amounts> judged{
      {0, 10, 20}, {0, 10, 20, 30}, {0, 10, 20, 30, 40}, {0, 10, 20, 30, 40, 50}};
  const ForecastRecord record = forecast_record(judged, Amounts{0, 10, 20, 30, 40, 50}, 2);
  REQUIRE(record.origins.size() == 4);
  // The last amount is off by 10 at three origins. Only then the trend, which was never off, counts
  // as clearly better.
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(record.origins[i].way == PartForecast::kLast);
    CHECK(record.origins[i].error() == 10);
    CHECK(record.origins[i].last == judged[i][i + 1]);
  }
  CHECK_FALSE(record.origins[0].half_width);
  // t(0.95), times the root mean square error. Weights 1, then 0.7 and 1: 1.7^2 / 1.49 = 1.9396
  // degrees of freedom, then 0.49, 0.7 and 1: 2.19^2 / 1.7301 = 2.7722.
  CHECK(*record.origins[1].half_width == doctest::Approx(10 * 6.313752));
  CHECK(*record.origins[2].half_width == doctest::Approx(10 * 2.982954));
  CHECK(*record.origins[3].half_width == doctest::Approx(10 * 2.434353));
  CHECK(record.origins[3].way == PartForecast::kTrend);
  CHECK(record.origins[3].forecast == doctest::Approx(50));
  CHECK(record.way == PartForecast::kTrend);
  CHECK(record.next == doctest::Approx(60));
  // Weights 0.343, 0.49, 0.7 and 1: 2.533^2 / 1.847749 = 3.4724 degrees of freedom, and errors of
  // 10 but the last, which is 0: the root of 153.3 / 2.533.
  CHECK(*record.half_width == doctest::Approx(2.228412 * 7.779532));
  CHECK(*record.relative_error() == doctest::Approx(30.0 / 140));
  CHECK(record.with_interval() == 3);
  CHECK(record.inside() == 3);
  // Of a part of two days as it is. The mean of two steps of a random walk, 1 and 1 + 1, has the
  // variance (1 + 0.5 x 0.5) = 1.25 of one step: half of the second comes to the whole first.
  CHECK(*record.half_width_over(2) == doctest::Approx(*record.half_width));
  CHECK(*record.half_width_over(4) == doctest::Approx(*record.half_width * std::sqrt(1.25)));
}

TEST_CASE("forecast_record: a way that is only a little better does not replace the last amount") {
  // The last amount is off by 10 each time. The mean of 0 and 10, of 0, 10 and 0, and of 0, 10, 0
  // and 10 is off by 5, 6.67 and 5: less than 0.6 x 30 after three origins, and not yet after two.
  const std::vector<Amounts> judged{{0, 10, 0}, {0, 10, 0, 10}, {0, 10, 0, 10, 0}};
  CHECK(forecast_record(judged, Amounts{0, 10, 0, 10, 0}, 2).way == PartForecast::kMean);
  CHECK(forecast_record(std::span(judged).first(2), Amounts{0, 10, 0, 10}, 2).way ==
        PartForecast::kLast);
  // A step: the last amount is off by 10, 0 and 0, the mean by 10, 6.67 and 5.
  const std::vector<Amounts> step{{0, 0, 10}, {0, 0, 10, 10}, {0, 0, 10, 10, 10}};
  CHECK(forecast_record(step, Amounts{0, 0, 10, 10, 10}, 2).way == PartForecast::kLast);
}

TEST_CASE("forecast_record: an interval that what came is outside of") {
  const std::vector<Amounts> judged{{10, 10, 11}, {10, 10, 11, 30}};
  const ForecastRecord record = forecast_record(judged, Amounts{10, 10, 11, 30}, 2);
  // The error of 1 gives 6.3 around 11.
  CHECK(record.with_interval() == 1);
  CHECK(record.inside() == 0);
  const Json json = forecast_json(record);
  CHECK(json["origins"][1]["came"] == 30 * 365.25 / 12);
  CHECK(json["origins"][0]["half_width_90"] == nullptr);
}

}  // namespace
}  // namespace cospot
