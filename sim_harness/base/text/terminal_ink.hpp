#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace cospot {

/// How a word stands out on a terminal.
enum class Ink : std::uint8_t { kBold, kError, kWarning };

/// A text in that ink where `stream` is a terminal that shows it; as it is elsewhere, and where
/// NO_COLOR is set (no-color.org) or TERM is `dumb`.
[[nodiscard]] std::string inked(Ink ink, std::string_view text, std::FILE* stream);

}  // namespace cospot
