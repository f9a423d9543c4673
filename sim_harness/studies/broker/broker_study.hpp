#pragma once

#include "sim_harness/studies/study.hpp"

namespace cospot {

/// `broker`: a customer's jobs on spot markets. Axes: market, jobs, bid, alpha, fault_tolerance,
/// billing, market_choice, seed. Source: Voorsluys and Buyya, 2012.
[[nodiscard]] Study broker_study();

}  // namespace cospot
