#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "guarantees/pricing/capacity_class.hpp"
#include "guarantees/pricing/idle_periods.hpp"
#include "guarantees/pricing/partition.hpp"
#include "guarantees/pricing/revocation_interval.hpp"

namespace cospot {

/// Tells of all idle periods of some servers, the same ones at every call.
using PeriodSource = std::function<void(const std::function<void(const IdlePeriod&)>& visit)>;

/// The idle times of servers: of a demand under rank occupancy, or of the hosts of a run.
struct IdleRecord {
  std::size_t servers = 0;  ///< how many
  TimeSpan span{};
  PeriodSource periods{};
  /// The size of each server, in a measure that all share; empty: all have the same.
  std::vector<std::int64_t> sizes{};

  [[nodiscard]] std::int64_t size_of(std::size_t server) const {
    return sizes.empty() ? 1 : sizes[server];
  }
  [[nodiscard]] std::vector<ServerIdle> totals() const;
};

/// The record of a demand; `demand` outlives it.
[[nodiscard]] IdleRecord idle_record(const Demand& demand, std::size_t servers, TimeSpan span);

/// The record of periods in the order of their ends. Errors: as idle_by_server().
[[nodiscard]] IdleRecord idle_record(std::vector<IdlePeriod> periods, std::size_t servers,
                                     TimeSpan span);

/// One class, as a provider would publish it.
struct OfferedClass {
  std::size_t ranks = 0;  ///< of class_sizes()
  ClassSums sums{};
  double mttr_hours = 0;  ///< infinite: no revocation was seen
  HourInterval interval{};
  double performance = 0;
  double equilibrium_price = 0;    ///< as a fraction of the on-demand price
  double price = 0;                ///< by the price rule
  double availability = 0;         ///< of the servers that are ever idle: usable idle time / time
  double revocations_per_day = 0;  ///< volatility, in a day of idle time
  std::optional<double> predictability{};
};

/// The classes of a partition, from the most available on.
[[nodiscard]] std::vector<OfferedClass> class_table(const IdleRecord& record,
                                                    const IdleCapacity& capacity,
                                                    const Partition& partition,
                                                    const ClassPricing& pricing);

}  // namespace cospot
