#pragma once

#include <string>
#include <vector>

#include "sim_harness/advise/plan.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/experiments/summary/study_summary.hpp"

namespace cospot {

/// The decision in three sentences: what to do, its value, its risk.
[[nodiscard]] std::vector<std::string> decision_of(const PlanFindings& findings,
                                                   const std::string& currency);
/// The output of `cospot plan`: the decision and all numbers behind it.
[[nodiscard]] SummaryText plan_text(const PlanFindings& findings, const std::string& currency);
/// The same as one object; docs/json.md describes its keys.
[[nodiscard]] Json plan_json(const PlanFindings& findings, const std::string& currency);

/// "75 % of the spots as spots, 25 % as Economy instances (confidence 0.9)"; "spots", "nothing".
[[nodiscard]] std::string division_text(const AllocatorSpec& setting, const Division& division);
/// "lives at least 4 h, 95 %".
[[nodiscard]] std::string class_text(const PromiseClass& promise);
[[nodiscard]] std::string_view verdict_name(PromiseVerdict verdict);

}  // namespace cospot
