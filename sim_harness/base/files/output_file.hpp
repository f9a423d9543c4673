#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace cospot {

/// Tells whether two paths name one file, including through links and `./`, and if it does not
/// exist yet.
[[nodiscard]] bool is_same_file(const std::filesystem::path& one,
                                const std::filesystem::path& other);

/// Throws InputError if `output`, the file of `option`, is one of `inputs` and would overwrite it,
/// is a folder, or is in none that exists. Call it before any work. An empty path means no output
/// file.
void require_usable_output(std::string_view option, const std::filesystem::path& output,
                           const std::vector<std::filesystem::path>& inputs);

}  // namespace cospot
