#pragma once

#include <functional>
#include <vector>

#include "core/model/request.hpp"
#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"

namespace cospot {

/// The traits of a requested spot from which its lifetime is predicted.
struct SpotTraits {
  InstanceIndex instance = 0;
  ResourceVector resources;
  SimTime requested_at{0};
  /// The lifetime of the customer's last instance that had ended by then; kNever: none had.
  SimTime previous_lifetime = kNever;
};

/// Finds the traits of every spot of a workload. It takes a while, so it is called only by who
/// needs them.
using ReadTraits = std::function<std::vector<SpotTraits>()>;

}  // namespace cospot
