#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "sim_harness/sweeps/sweep.hpp"
#include "sim_harness/sweeps/yaml_reader.hpp"

namespace cospot {

/// Reads the `workloads` of a sweep file. An element is a path relative to `folder`, in which
/// `${NAME}` stands for an environment variable and `*`, `?`, `[...]` match file names (sorted by
/// bytes), or a mapping: `{path: ..., label: ...}` or
/// `{synthetic: azure2020, seed: 1, scale: 0.01, sampling: batched, label: ...}`, both also with
/// `window_days: 30`.
[[nodiscard]] std::vector<WorkloadSpec> read_workloads(const ConfigNode& node,
                                                       const std::filesystem::path& folder);

/// Reads a value of `window_days`.
[[nodiscard]] SimTime read_window_days(const ConfigNode& node);

/// Gives all workloads the window that a command states, whatever the sweep says; without one
/// nothing changes.
void state_windows(Sweep& sweep, const std::optional<SimTime>& window);

}  // namespace cospot
