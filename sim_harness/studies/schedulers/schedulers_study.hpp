#pragma once

#include "sim_harness/studies/study.hpp"

namespace cospot {

/// Several schedulers on stale views of one datacenter: commits that collide, and what they cost.
[[nodiscard]] Study schedulers_study();

}  // namespace cospot
