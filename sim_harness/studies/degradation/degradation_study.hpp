#pragma once

#include "sim_harness/studies/study.hpp"

namespace cospot {

/// `degradation`: the sensitivity of VM placement to a loosely followed ranking. Each VM is placed
/// on a random one of the first N hosts of its ranking; how many are rejected? Axes: workloads,
/// size, vm, otn (N), seed. Source: CoSpot, section 2, Hypothesis 1 and Figure 2.
[[nodiscard]] Study degradation_study();

}  // namespace cospot
