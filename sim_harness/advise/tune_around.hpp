#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "sim_harness/advise/tune_text.hpp"

namespace cospot {

/// The inputs that a study file names besides settings, as given on the command line.
struct TunedInputs {
  std::span<const WorkloadSpec> workloads;
  const TunedDatacenter& datacenter;
  std::string host{};    ///< a file of hosts, or totals
  std::string prices{};  ///< an option of `cospot compare`, or empty
};

/// A study file for `cospot compare` around the result of a tuning: its policies and those of the
/// best setting without cooperation, SAF on and off, its offer and the next smaller and larger
/// offers tried, on the same hosts. A single workload is not split.
///
/// Args: folder: the file's folder; paths are relative to it.
[[nodiscard]] std::string around_yaml(const TuneFindings& findings, const TunedInputs& inputs,
                                      const std::filesystem::path& folder);

}  // namespace cospot
