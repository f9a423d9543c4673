#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cospot {

/// A file that a path in a configuration stands for.
struct ExpandedPath {
  std::string label;           ///< the path as written, its wildcards replaced by what they matched
  std::filesystem::path file;  ///< with variables replaced, and absolute or relative to a folder
};

/// Replaces `${NAME}` by environment variables and matches `*`, `?` and `[...]` against the file
/// system. The result is sorted by bytes. A path that exists as written is taken as it is.
///
/// Errors: ConfigError (without a place) when a variable is not set, a file does not exist or
/// nothing matches.
[[nodiscard]] std::vector<ExpandedPath> expand_path(const std::string& written,
                                                    const std::filesystem::path& folder);

}  // namespace cospot
