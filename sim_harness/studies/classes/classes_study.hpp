#pragma once

#include "sim_harness/studies/study.hpp"

namespace cospot {

/// The study `classes`: what idle capacity earns when it is sold in classes of servers with
/// guaranteed times to revocation.
///
/// Source: Shastri et al., "Transient guarantees", SC 2016.
[[nodiscard]] Study classes_study();

}  // namespace cospot
