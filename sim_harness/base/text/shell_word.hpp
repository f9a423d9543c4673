#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cospot {

/// A word of a command that a shell reads as `text`: in quotes if it would take it apart.
[[nodiscard]] std::string shell_word(std::string_view text);

/// The options of a command that set these assignments of a study: " --set KEY=VALUE" for each.
[[nodiscard]] std::string set_arguments(std::span<const std::string> assignments);

}  // namespace cospot
