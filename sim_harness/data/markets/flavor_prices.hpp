#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "sim_harness/data/markets/price_series.hpp"

namespace cospot {

/// The history of a flavor's spot price.
struct FlavorPriceHistory {
  ResourceVector size;  ///< vcpus and memory_mb
  /// The first price, then each price that differs from the one before.
  std::vector<PriceChange> changes{};

  /// The number of changes after the first price.
  [[nodiscard]] std::size_t count() const { return changes.size() - 1; }
  /// Mean and minimum time between changes. Nothing if there are fewer than two.
  [[nodiscard]] std::optional<double> mean_hours_between() const;
  [[nodiscard]] std::optional<double> least_hours_between() const;
  [[nodiscard]] double lowest() const;  ///< per hour
  [[nodiscard]] double highest() const;
};

/// Reads a CSV with the columns `time` (ISO 8601 in UTC, or seconds), `vcpus`, `memory_mb` and
/// `spot` (price per hour of the flavor, above 0), plain or gzip; other columns are ignored. A
/// price holds until the next row of its flavor. Rows may be in any order; flavors are in the order
/// of their first row.
///
/// Errors: WorkloadError with `file:line:`, also for two prices of a flavor at one time.
[[nodiscard]] std::vector<FlavorPriceHistory> read_flavor_price_history(
    const std::filesystem::path& file);

/// `2026-03-01T00:00:00Z` for a time from 2001 on, otherwise `day 3.5`: seconds of a history's
/// window.
[[nodiscard]] std::string price_time_text(Seconds time);

}  // namespace cospot
