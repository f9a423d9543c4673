#pragma once

#include <string>

#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/provider/explain/explain.hpp"

namespace cospot {

/// Why the request gets its host, or none: one sentence.
[[nodiscard]] std::string explain_sentence(const Explanation& explanation,
                                           const SizeWords& words = {});

}  // namespace cospot
