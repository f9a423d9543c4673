#pragma once

#include <filesystem>
#include <vector>

#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/base/json/json.hpp"

namespace cospot {

/// The files named by any text in a configuration, relative to `folder`; they include all files
/// that a study reads.
[[nodiscard]] std::vector<std::filesystem::path> files_named_in(
    const ConfigNode& root, const std::filesystem::path& folder);

/// The same for a stored configuration.
[[nodiscard]] std::vector<std::filesystem::path> files_named_in(
    const Json& configuration, const std::filesystem::path& folder);

}  // namespace cospot
