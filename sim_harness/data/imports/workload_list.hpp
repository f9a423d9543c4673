#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/data/workloads/workload_spec.hpp"

namespace cospot {

/// Reads the `workloads` of a sweep file. An element is a path relative to `folder`, in which
/// `${NAME}` is an environment variable and `*`, `?`, `[...]` match file names (sorted by bytes),
/// or a mapping: `{path: ..., label: ...}` or `{synthetic: azure2020, seed: 1, scale: 0.01,
/// sampling: batched, label: ...}` or `{import: ..., spot_if: ...}` (import_spec), all optionally
/// with `window_days: 30`. A WorkloadSpec that a caller gave may stand for a path. `key` is its
/// name in errors, by default "workloads".
[[nodiscard]] std::vector<WorkloadSpec> read_workloads(const ConfigNode& node,
                                                       const std::filesystem::path& folder);
[[nodiscard]] std::vector<WorkloadSpec> read_workloads(const ConfigNode& node,
                                                       const std::filesystem::path& folder,
                                                       std::string_view key);

/// Reads a value of `window_days`.
[[nodiscard]] SimTime read_window_days(const ConfigNode& node);

}  // namespace cospot
