#pragma once

#include <filesystem>
#include <string_view>

#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/data/workloads/workload_spec.hpp"

namespace cospot {

/// Reads an element of `workloads` with the key `import`: records of one's own, and beside them the
/// options of `cospot workload import` as keys (`spot_if`, `format`, `time_zone`, ...). Imports at
/// once. The spec has no label and no window; `key` is the element's name in errors.
///
/// Errors: ConfigError, WorkloadError.
[[nodiscard]] WorkloadSpec import_spec(const ConfigNode& node, const std::filesystem::path& folder,
                                       std::string_view key);

/// Such an element with its paths relative to another folder. Args: import: WorkloadSpec::import.
[[nodiscard]] std::string moved_import(const std::string& import, const std::filesystem::path& from,
                                       const std::filesystem::path& to);

}  // namespace cospot
