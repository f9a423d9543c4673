#pragma once

#include <cstdint>

#include "core/model/request.hpp"
#include "core/model/sim_time.hpp"

namespace cospot {

/// Why an instance asks for a host.
enum class AskKind : std::uint8_t { kArrival, kRetry, kEvacuation };

/// One that waits for an answer since it asked.
struct Ask {
  InstanceIndex instance = 0;
  AskKind kind = AskKind::kArrival;
  SimTime since{0};
};

}  // namespace cospot
