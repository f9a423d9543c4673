#pragma once

#include <string>

#include "core/model/sim_time.hpp"

namespace cospot {

/// Days, rounded to at most three decimals: "30", "12.583".
[[nodiscard]] std::string rounded_days_text(SimTime time);

}  // namespace cospot
