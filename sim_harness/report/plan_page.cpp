#include "sim_harness/report/plan_page.hpp"

#include "sim_harness/base/text/html_text.hpp"
#include "sim_harness/report/html_report.hpp"

namespace cospot {

std::string plan_page(const PlanPage& page) {
  const std::string policy = content_security_policy(plan_script());
  const std::string title = html_text(page.title);
  const std::string command = html_text(page.command);
  const std::string licences = html_text(asset_licences());
  // Nothing of the data may end the element that holds it.
  std::string data;
  for (const char c : page.data_json) data += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return fill_in(plan_template(), {{"policy", policy},
                                   {"title", title},
                                   {"style", report_style()},
                                   {"answer", page.answer},
                                   {"command", command},
                                   {"data", data},
                                   {"library", chart_library()},
                                   {"script", plan_script()},
                                   {"licences", licences}});
}

}  // namespace cospot
