#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace cospot {

/// Tells whether two paths name one file: through links and `./` too, and where there is none yet.
[[nodiscard]] bool is_same_file(const std::filesystem::path& one,
                                const std::filesystem::path& other);

/// Throws InputError when `output`, the file that `option` asks for, is one of `inputs`: it would
/// take the place of what it is made from. Asked before anything is written. An empty path: no file
/// is asked for.
void require_not_input(std::string_view option, const std::filesystem::path& output,
                       const std::vector<std::filesystem::path>& inputs);

}  // namespace cospot
