#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/model/sim_time.hpp"
#include "sim_harness/data/workloads/synthetic_workload.hpp"
#include "sim_harness/data/workloads/vcpus_unit.hpp"

namespace cospot {

/// A workload as a study file or a command names it.
struct WorkloadSpec {
  std::string label;           ///< as the sweep file writes it; the same on every machine
  std::filesystem::path file;  ///< where it is here; empty for a synthetic workload
  std::optional<SyntheticSpec> synthetic;
  std::optional<SimTime> window{};  ///< stated by a command or a sweep; otherwise the data's own
  VcpusUnit recorded_unit{};        ///< what an experiment's record says of its vcpus
};

}  // namespace cospot
