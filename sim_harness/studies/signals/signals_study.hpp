#pragma once

#include "sim_harness/studies/study.hpp"

namespace cospot {

/// Signals that a provider can give its customers (will so many spots fit, how long will one live,
/// will this one be evicted?), scored against what happened.
[[nodiscard]] Study signals_study();

}  // namespace cospot
