#pragma once

#include <string>

namespace cospot {

/// The contents of the page of a plan.
struct PlanPage {
  std::string title;
  std::string answer;     ///< HTML: the decision and its tables
  std::string data_json;  ///< the output of `cospot plan --json`, source of the charts
  std::string command;    ///< recreates the plan
};

/// A page for executives and engineers alike, self-contained as html_report is.
[[nodiscard]] std::string plan_page(const PlanPage& page);

}  // namespace cospot
