#pragma once

#include <filesystem>
#include <vector>

#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/base/json/json.hpp"

namespace cospot {

/// The files that texts anywhere in a configuration name, relative to `folder`: whatever a study
/// reads is among them.
[[nodiscard]] std::vector<std::filesystem::path> files_named_in(
    const ConfigNode& root, const std::filesystem::path& folder);

/// The same of a stored configuration.
[[nodiscard]] std::vector<std::filesystem::path> files_named_in(
    const Json& configuration, const std::filesystem::path& folder);

}  // namespace cospot
