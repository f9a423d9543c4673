#pragma once

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
};

}  // namespace cospot
