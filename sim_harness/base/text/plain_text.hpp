#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cospot {

/// The position of the first byte of `text` that is not plain text, or npos. Not plain text:
/// invalid UTF-8, control characters other than tab, and a carriage return that does not end a
/// line.
[[nodiscard]] std::size_t find_non_text(std::string_view text);

/// Describes what is wrong with that byte of a file, and what was expected.
[[nodiscard]] std::string non_text_fault(char byte);

/// Removes blanks and tabs from both ends.
[[nodiscard]] inline std::string_view without_blanks(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Describes what a file is that begins with these bytes, if it is no UTF-8 text: its encoding or
/// compression, and the command that converts it. Empty: nothing is known against it.
[[nodiscard]] std::string_view other_kind_of_file(std::string_view begin);

/// Removes a UTF-8 byte order mark.
[[nodiscard]] std::string_view without_byte_order_mark(std::string_view text);

/// Removes the next line from `text` and returns it without its end.
[[nodiscard]] std::string_view take_line(std::string_view& text);

/// `value` in quotes for an error message, cut.
[[nodiscard]] std::string quoted_excerpt(std::string_view value, std::size_t most_bytes = 40);

}  // namespace cospot
