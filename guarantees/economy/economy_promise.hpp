#pragma once

#include <cstdint>

#include "core/model/sim_time.hpp"

namespace cospot {

/// The amount promised to the Economy class now, and the part of it in use.
struct EconomyPromise {
  std::int64_t promised_vcpus = 0;
  std::int64_t promised_memory_mb = 0;
  std::int64_t used_vcpus = 0;
  std::int64_t used_memory_mb = 0;
  /// The end of the promise that is made now: whoever is admitted now may be evicted from then on.
  SimTime until = kNever;

  [[nodiscard]] bool admits(std::int64_t vcpus, std::int64_t memory_mb) const {
    return used_vcpus + vcpus <= promised_vcpus && used_memory_mb + memory_mb <= promised_memory_mb;
  }
};

}  // namespace cospot
