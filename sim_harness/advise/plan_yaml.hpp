#pragma once

#include <filesystem>
#include <string>

#include "sim_harness/advise/plan.hpp"

namespace cospot {

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
