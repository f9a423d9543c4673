#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace cospot {

/// A style for words on a terminal.
enum class Ink : std::uint8_t { kBold, kError, kWarning };

/// The text in that style if `stream` is a terminal that supports it; unchanged otherwise, and if
/// NO_COLOR is set (no-color.org) or TERM is `dumb`.
[[nodiscard]] std::string inked(Ink ink, std::string_view text, std::FILE* stream);

}  // namespace cospot
