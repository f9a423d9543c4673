#pragma once

#include <string>

#include "sim_harness/advise/plan.hpp"

namespace cospot {

/// A page for executives and engineers alike, self-contained as html_report is. Args: command:
/// recreates the plan.
[[nodiscard]] std::string plan_page(const PlanFindings& findings, const std::string& command);

}  // namespace cospot
