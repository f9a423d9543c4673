#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/model/sim_time.hpp"
#include "sim_harness/data/workloads/synthetic_workload.hpp"
#include "sim_harness/data/workloads/vcpus_unit.hpp"

namespace cospot {

/// A workload as named in a study file or command.
struct WorkloadSpec {
  std::string label;           ///< as written in the sweep file; the same on every machine
  std::filesystem::path file;  ///< its path on this machine; empty for a synthetic workload
  std::optional<SyntheticSpec> synthetic;
  std::optional<SimTime> window{};  ///< stated by a command or a sweep; otherwise from the data
  VcpusUnit recorded_unit{};        ///< the vcpus unit recorded with an experiment
};

}  // namespace cospot
