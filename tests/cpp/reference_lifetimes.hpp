#pragma once

#include "core/model/request.hpp"
#include "core/model/sim_time.hpp"
#include "guarantees/lifetime_model.hpp"
#include "sim_harness/data/workloads/workload.hpp"

namespace cospot::reference {

/// The lifetime of the last instance of the same tenant that had departed when this one came;
/// kNever when none had. Looks through the whole workload.
[[nodiscard]] SimTime previous_lifetime(const Workload& workload, InstanceIndex instance);

/// What the model that is built in expects of a spot that runs at `now`: its remaining life,
/// counted to `until`. Evaluates the network input by input and adds up the survival interval by
/// interval.
[[nodiscard]] SimTime expected_remaining(const Workload& workload, InstanceIndex spot, SimTime now,
                                         SimTime until);

/// The same with the network and the inputs given; ages in microseconds.
[[nodiscard]] double expected_remaining(const LifetimeNetwork& network,
                                        const LifetimeInputs& inputs, double age, double limit);

}  // namespace cospot::reference
