#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "sim_harness/tune/tune_text.hpp"

namespace cospot {

/// What a study file names beside settings, as the command line has it.
struct TunedInputs {
  std::span<const WorkloadSpec> workloads;
  const TunedDatacenter& datacenter;
  std::string host{};        ///< a path of a file of hosts, or totals
  std::string added_type{};  ///< or empty
  std::string prices{};      ///< an option of `cospot compare`, or empty
};

/// A study file around what a tuning found, for `cospot compare`: its policies and those of the
/// best setting without cooperation, SAF on and off, and its offer between the next smaller and the
/// next larger one that was tried, on the same hosts. One workload is whole again.
///
/// Args: folder: of the file; paths are relative to it.
[[nodiscard]] std::string around_yaml(const TuneFindings& findings, const TunedInputs& inputs,
                                      const std::filesystem::path& folder);

}  // namespace cospot
