#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/model/request.hpp"
#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"

namespace cospot {

/// A spot on a host, as an evictor sees it.
struct RunningSpot {
  InstanceIndex instance = 0;
  ResourceVector resources;
  SimTime placed_at{0};
  SimTime ends_at{0};  ///< true end (kNever: unknown end); for the oracle LPO only
  /// It was promised to live until then, and is evicted before only where the others do not
  /// suffice; kNoPromisedEnd: nothing was promised.
  SimTime promised_until = kNoPromisedEnd;

  [[nodiscard]] bool is_promised(SimTime now) const { return now < promised_until; }
};

/// The sum of what spots hold; wider than a ResourceVector, so that no sum overflows.
struct SpotSum {
  std::int64_t vcpus = 0, memory_mb = 0, disk_gb = 0;

  /// The largest of the three.
  [[nodiscard]] std::int64_t most() const { return std::max({vcpus, memory_mb, disk_gb}); }
};

[[nodiscard]] inline SpotSum sum_of(std::span<const RunningSpot> spots) {
  SpotSum sum;
  for (const RunningSpot& spot : spots) {
    sum.vcpus += spot.resources.vcpus;
    sum.memory_mb += spot.resources.memory_mb;
    sum.disk_gb += spot.resources.disk_gb;
  }
  return sum;
}

}  // namespace cospot
