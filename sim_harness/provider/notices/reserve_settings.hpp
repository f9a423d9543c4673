#pragma once

#include "core/model/reserved_capacity.hpp"
#include "core/model/sim_time.hpp"

namespace cospot {

/// Capacity that is kept free for VMs, and how long a spot that has to leave it is told before.
struct ReserveSettings {
  ReservedCapacity reserved{};
  SimTime notice{0};
};

}  // namespace cospot
