#pragma once

#include <filesystem>
#include <string>

#include "sim_harness/plan/plan.hpp"

namespace cospot {

/// What a study file names beside the plan, as the command line has it.
struct PlannedInputs {
  std::string host;        ///< a path of a file of hosts, or totals
  std::string added_type;  ///< or empty
  std::string currency;
  std::string prices;  ///< an option of `cospot compare`
};

/// What to set from now on, as a study file: `cospot compare` runs the whole history by it, with
/// the same numbers. Its comments have the decision and the promised lifetimes to sell, which
/// `cospot-nova plan` reads.
///
/// Args: folder: of the file; paths are relative to it.
[[nodiscard]] std::string plan_yaml(const PlanFindings& findings, const PlannedInputs& inputs,
                                    const std::filesystem::path& folder);

}  // namespace cospot
