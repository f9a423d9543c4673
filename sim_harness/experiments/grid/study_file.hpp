#pragma once

#include <filesystem>
#include <optional>

#include "core/model/sim_time.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/data/workloads/workload_spec.hpp"

namespace cospot {

class PolicyLoader;

/// A parsed study file, with the options of the command that runs it.
struct StudyFile {
  ConfigNode root;                ///< with the overrides of `--set`
  std::filesystem::path folder;   ///< paths are relative to it
  std::optional<SimTime> window;  ///< `--window-days`
  PolicyLoader* policies = nullptr;
  bool keeps_timeline = false;  ///< `--timeline`: runs record their state over time
  /// The workload of a command line, in place of `workloads`.
  std::optional<WorkloadSpec> workload{};
};

}  // namespace cospot
