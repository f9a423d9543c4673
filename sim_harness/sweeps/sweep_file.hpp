#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim_harness/sweeps/sweep.hpp"

namespace cospot {

/// Reads a sweep file (docs/sweep-file.md) and applies `--set` overrides (`key=value`) to it.
/// Paths are relative to the file. Overriding `hosts` drops `headroom_percent`, and the reverse.
///
/// Errors: ConfigError that says where (`file:line:` or `--set key=value:`), which key, what was
/// found, what was expected and the valid names.
[[nodiscard]] Sweep read_sweep(const std::filesystem::path& file,
                               const std::vector<std::string>& overrides);

/// Reads a scenario: a sweep with exactly one value for every key, so one run.
[[nodiscard]] Sweep read_scenario(const std::filesystem::path& file,
                                  const std::vector<std::string>& overrides);

}  // namespace cospot
