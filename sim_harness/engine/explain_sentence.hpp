#pragma once

#include <string>

#include "sim_harness/engine/explain.hpp"
#include "sim_harness/workloads/vcpus_unit.hpp"

namespace cospot {

/// Why the request gets its host, or none: one sentence.
[[nodiscard]] std::string explain_sentence(const Explanation& explanation,
                                           const SizeWords& words = {});

}  // namespace cospot
