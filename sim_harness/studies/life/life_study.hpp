#pragma once

#include "sim_harness/studies/study.hpp"

namespace cospot {

/// Runs in which requests ask again, spots return, VMs are resized and hosts fail or are
/// maintained, beside the same runs without any of it: docs/life.md.
[[nodiscard]] Study life_study();

}  // namespace cospot
