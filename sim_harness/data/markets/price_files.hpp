#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/data/markets/price_series.hpp"

namespace cospot {

/// Parses a date as parse_date_time() does, or seconds since 1970. Whole seconds, rounded down.
/// Nothing: neither.
[[nodiscard]] std::optional<Seconds> parse_time(std::string_view text);

/// `2026-03-01T00:00:00Z` for a time from 2001 on, otherwise `day 3.5`: seconds of a history's
/// window.
[[nodiscard]] std::string price_time_text(Seconds time);

/// A time at which a file says two things, as its error names it: a date if it may be one.
[[nodiscard]] std::string doubted_time_text(Seconds time);

/// Parses USD per hour, above 0 and at most 1,000,000, rounded to the micro-dollar.
[[nodiscard]] std::optional<MicroUsd> parse_price(std::string_view text);

inline constexpr std::string_view kTimeExpected =
    "seconds since 1970, or a date such as 2024-05-01T12:00:00Z";
inline constexpr std::string_view kPriceExpected = "USD an hour above 0, at most 1000000";

/// Reads a CSV with the columns `time` and `price`, plain or gzip.
///
/// Repairs: sorts rows and drops repeated ones; a price holds until the next row, however late.
/// Errors: WorkloadError with `file:line:` for an invalid time or price (including 0 or less) and
/// for two prices at one time.
[[nodiscard]] std::vector<PriceChange> read_price_csv(const std::filesystem::path& file);

/// One series of an EC2 file.
struct Ec2Prices {
  std::string type;        ///< InstanceType
  std::string os;          ///< ProductDescription
  std::string datacenter;  ///< AvailabilityZone
  std::vector<PriceChange> changes;
  Seconds end = 0;  ///< of the file: a price that did not change has no later entry
};

/// Reads the output of `aws ec2 describe-spot-price-history` (newest first): a series for every
/// type, product and zone, sorted by their names. Repairs and errors as read_price_csv().
[[nodiscard]] std::vector<Ec2Prices> read_ec2_prices(const std::filesystem::path& file);

}  // namespace cospot
