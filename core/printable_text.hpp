#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cospot {

/// The length of the UTF-8 sequence for a character beyond ASCII that starts `text`; 0: invalid.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

/// A text for a terminal. Files, databases and clouds may hold anything, so control characters,
/// those that turn the direction of writing, and bytes that are not UTF-8 are written out:
/// `\u001b`,
/// `\xff`. Line breaks and tabs stay. JSON without invalid bytes still means the same.
[[nodiscard]] std::string printable(std::string_view text);

/// The same for an error, a warning or a cell: on one line (`\n`), and without its middle if it is
/// longer than 3,000 bytes.
[[nodiscard]] std::string printable_line(std::string_view text);

}  // namespace cospot
