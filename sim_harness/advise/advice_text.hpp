#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/advise/forecast_record.hpp"
#include "sim_harness/experiments/summary/mean_interval.hpp"

namespace cospot {

// Pieces of the texts of `tune` and `plan`.

/// "12.3%" for 0.123, with `digits` decimals.
[[nodiscard]] std::string percent(double fraction, int digits = 1);

/// A limit as its user gave it: "0.5%", "0%".
[[nodiscard]] std::string limit_text(double fraction);

/// "1 sample", "2 samples".
[[nodiscard]] std::string plural(std::size_t count, std::string_view noun);

/// "12.30 EUR"; without a currency only the amount.
[[nodiscard]] std::string money(double amount, const std::string& currency);
/// The same with a sign.
[[nodiscard]] std::string signed_money(double amount, const std::string& currency);
/// "+3.10 to +21.50": the interval of an amount; requires a width.
[[nodiscard]] std::string money_interval(const MeanInterval& amount);

/// "2.9 days", "1 day".
[[nodiscard]] std::string days_text(double days);

/// The amount of a month, of an amount a day.
[[nodiscard]] MeanInterval of_month(MeanInterval day);
[[nodiscard]] std::string month_text(double day);

/// "33,412 EUR (90 % interval 12,000 to 55,000, as in the last part)", of amounts a day.
[[nodiscard]] std::string forecast_text(const ForecastRecord& record, const std::string& currency);
/// The errors of such forecasts, and the number inside their interval.
[[nodiscard]] std::string record_sentence(const ForecastRecord& record);

/// A mean over samples with its standard error.
struct Spread {
  double mean = 0;
  double error = 0;  ///< standard error of the mean; 0 for one sample
  double least = 0;
  double greatest = 0;
};

/// Expects at least one value.
[[nodiscard]] Spread spread_of(const std::vector<double>& values);

}  // namespace cospot
