#pragma once

#include "core/model/reserved_capacity.hpp"
#include "core/model/sim_time.hpp"

namespace cospot {

/// The capacity kept free for VMs, and the notice given to a spot that must leave it.
struct ReserveSettings {
  ReservedCapacity reserved{};
  SimTime notice{0};
};

}  // namespace cospot
