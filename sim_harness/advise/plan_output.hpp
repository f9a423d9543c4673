#pragma once

#include <filesystem>
#include <string>
#include <string_view>
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

[[nodiscard]] std::string_view verdict_name(PromiseVerdict verdict);

/// The inputs that a study file names besides the plan, as given on the command line.
struct PlannedInputs {
  std::string host;  ///< a file of hosts, or totals
  std::string currency;
  std::string prices;  ///< an option of `cospot compare`
};

/// The settings to deploy, as a study file: `cospot compare` repeats the whole history with them
/// and gets the same numbers. Its comments contain the decision and the promised lifetimes to sell,
/// which `cospot-nova plan` reads.
///
/// Args: folder: the file's folder; paths are relative to it.
[[nodiscard]] std::string plan_yaml(const PlanFindings& findings, const PlannedInputs& inputs,
                                    const std::filesystem::path& folder);

}  // namespace cospot
