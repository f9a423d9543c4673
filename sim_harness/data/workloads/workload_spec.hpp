#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/model/sim_time.hpp"
#include "sim_harness/data/workloads/synthetic_workload.hpp"
#include "sim_harness/data/workloads/vcpus_unit.hpp"

namespace cospot {

struct Workload;

/// A workload as named in a study file or command.
struct WorkloadSpec {
  std::string label;           ///< as written in the sweep file; the same on every machine
  std::filesystem::path file;  ///< its path on this machine; empty for a synthetic workload
  std::optional<SyntheticSpec> synthetic;
  std::string path{};               ///< as written in the study file; empty: the label
  std::optional<SimTime> window{};  ///< stated by a command or a sweep; otherwise from the data
  /// A workload of a caller's own, such as one made in Python, in place of a file; and the unit of
  /// its vcpus.
  std::shared_ptr<const Workload> made{};
  VcpusUnit made_unit{};
  /// The keys of the study file that imported it (`made`), as JSON, and the folder of their paths.
  std::string import{};
  std::filesystem::path import_folder{};

  [[nodiscard]] bool is_file() const { return !synthetic && !made; }
};

}  // namespace cospot
