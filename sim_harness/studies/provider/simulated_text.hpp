#pragma once

#include <string>

#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

/// A line for people that says on how many hosts and by which policies a history was simulated.
[[nodiscard]] std::string simulated_text(const RunSettings& run);

}  // namespace cospot
