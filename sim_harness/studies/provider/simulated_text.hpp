#pragma once

#include <string>

#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

/// A line that names the hosts and the policies on which a history was simulated.
[[nodiscard]] std::string simulated_text(const RunSettings& run);

}  // namespace cospot
