#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cospot {

/// A file that matches a path in a configuration.
struct ExpandedPath {
  std::string label;           ///< the path as written, with matches in place of wildcards
  std::filesystem::path file;  ///< with variables replaced; absolute or relative to a folder
};

/// Replaces `${NAME}` by environment variables and matches `*`, `?` and `[...]` against the file
/// system. Sorted by bytes. A path that exists as written, or with its variables replaced, is not
/// expanded.
///
/// Errors: ConfigError (without a place) if a variable is not set, a file does not exist or nothing
/// matches.
[[nodiscard]] std::vector<ExpandedPath> expand_path(const std::string& written,
                                                    const std::filesystem::path& folder);

/// The path of a file as a study file in `folder` names it, which may be empty.
[[nodiscard]] std::string relative_path(const std::filesystem::path& file,
                                        const std::filesystem::path& folder);

}  // namespace cospot
