#pragma once

#include <string>
#include <string_view>

namespace cospot {

/// A word of a command that a shell reads as `text`: in quotes if it would take it apart.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace cospot
