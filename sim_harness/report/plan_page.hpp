#pragma once

#include <string>

namespace cospot {

/// What the page of a plan shows.
struct PlanPage {
  std::string title;
  std::string answer;     ///< HTML: the decision and its tables
  std::string data_json;  ///< what `cospot plan --json` says, from which the charts are drawn
  std::string command;    ///< that makes the plan again
};

/// One page that an executive and an engineer both read: complete without a network, as
/// html_report is.
[[nodiscard]] std::string plan_page(const PlanPage& page);

}  // namespace cospot
