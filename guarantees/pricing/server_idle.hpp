#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/model/sim_time.hpp"
#include "guarantees/pricing/demand.hpp"
#include "guarantees/pricing/idle_periods.hpp"

namespace cospot {

/// The usable idle time of one server.
struct ServerIdle {
  SimTime idle{0};
  std::int64_t revocations = 0;
  std::int64_t size = 1;  ///< what the server holds, in a measure that all servers share

  /// The mean time to revocation; infinite when none was seen. Only where there is idle time.
  [[nodiscard]] double mttr_hours() const;
};

/// Idle time and revocations of each rank, from rank 1 (occupied first, so most volatile) on.
[[nodiscard]] std::vector<ServerIdle> idle_by_rank(const Demand& demand, std::size_t servers,
                                                   TimeSpan span);

/// The same of recorded periods, such as those of the hosts of a run.
/// Errors: ConfigError for a period that ends before it begins, overlaps the one before on its
/// server, or is of a server that there is not.
[[nodiscard]] std::vector<ServerIdle> idle_by_server(std::span<const IdlePeriod> periods,
                                                     std::size_t servers);

}  // namespace cospot
