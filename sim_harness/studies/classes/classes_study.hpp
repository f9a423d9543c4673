#pragma once

#include "sim_harness/studies/study.hpp"

namespace cospot {

/// The study `classes`: the revenue of idle capacity when servers are sold in classes with
/// guaranteed times to revocation.
///
/// Source: Shastri et al., "Transient guarantees", SC 2016.
[[nodiscard]] Study classes_study();

}  // namespace cospot
