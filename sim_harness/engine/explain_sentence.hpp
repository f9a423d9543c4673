#pragma once

#include <string>

#include "sim_harness/engine/explain.hpp"

namespace cospot {

/// Why the request gets its host, or none: one sentence.
[[nodiscard]] std::string explain_sentence(const Explanation& explanation);

}  // namespace cospot
