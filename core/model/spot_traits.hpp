#pragma once

#include <functional>
#include <vector>

#include "core/model/request.hpp"
#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"

namespace cospot {

/// What is known of a spot when it is requested, for predicting how long it will live.
struct SpotTraits {
  InstanceIndex instance = 0;
  ResourceVector resources;
  SimTime requested_at{0};
  /// How long the customer's last instance lived that had ended by then; kNever: none had.
  SimTime previous_lifetime = kNever;
};

/// Finds the traits of every spot of a workload. It takes a while, so it is called only by who
/// needs them.
using ReadTraits = std::function<std::vector<SpotTraits>()>;

}  // namespace cospot
