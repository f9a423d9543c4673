#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "sim_harness/data/markets/price_series.hpp"

namespace cospot {

/// How the spot price of a flavor changed.
struct FlavorPriceHistory {
  ResourceVector size;                 ///< vcpus and memory_mb
  std::vector<PriceChange> changes{};  ///< the first price, then every other one than before

  /// Changes after the first price.
  [[nodiscard]] std::size_t count() const { return changes.size() - 1; }
  /// From one change to the next: the mean, the shortest. Nothing: there are not two.
  [[nodiscard]] std::optional<double> mean_hours_between() const;
  [[nodiscard]] std::optional<double> least_hours_between() const;
  [[nodiscard]] double lowest() const;  ///< of an hour
  [[nodiscard]] double highest() const;
};

/// Reads a CSV with the columns `time` (ISO 8601 in UTC, or seconds), `vcpus`, `memory_mb` and
/// `spot` (of an hour of the flavor, above 0), plain or gzip; other columns are ignored. A price
/// holds until the next row of its flavor. Rows may come in any order; flavors are in the order of
/// their first row.
///
/// Errors: WorkloadError with `file:line:`, also for two prices of a flavor at one time.
[[nodiscard]] std::vector<FlavorPriceHistory> read_flavor_price_history(
    const std::filesystem::path& file);

/// `2026-03-01T00:00:00Z` of a time from 2001 on, else `day 3.5`: seconds of a history's window.
[[nodiscard]] std::string price_time_text(Seconds time);

}  // namespace cospot
