#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/base/files/path_expansion.hpp"
#include "sim_harness/base/json/json.hpp"

namespace cospot {

/// The files that the path under `key` matches. Errors: ConfigError with the place.
[[nodiscard]] std::vector<ExpandedPath> read_paths(const ConfigNode& node, std::string_view key,
                                                   const std::filesystem::path& folder);

/// The same where the path matches one file.
[[nodiscard]] ExpandedPath read_path(const ConfigNode& node, std::string_view key,
                                     const std::filesystem::path& folder);

/// The files named by any text in a configuration, relative to `folder`; they include all files
/// that a study reads.
[[nodiscard]] std::vector<std::filesystem::path> files_named_in(
    const ConfigNode& root, const std::filesystem::path& folder);

/// The same for a stored configuration.
[[nodiscard]] std::vector<std::filesystem::path> files_named_in(
    const Json& configuration, const std::filesystem::path& folder);

}  // namespace cospot
