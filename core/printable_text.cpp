#include "core/printable_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace cospot {
namespace {

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

/// The number of the character that is the whole of a valid sequence.
std::uint32_t code_point(std::string_view sequence) {
  const auto lead = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return lead;
  std::uint32_t code = lead & (0x7fU >> sequence.size());
  for (const char byte : sequence.substr(1)) {
    code = (code << 6U) | (static_cast<unsigned char>(byte) & 0x3fU);
  }
  return code;
}

/// Control characters of ASCII and Latin-1, ends of lines that terminals do not show, and all of
/// Unicode's Bidi_Control.
bool acts_on_terminal(std::uint32_t code) {
  constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 6> kRanges{{{0x00, 0x1f},
                                                                            {0x7f, 0x9f},
                                                                            {0x61c, 0x61c},
                                                                            {0x200e, 0x200f},
                                                                            {0x2028, 0x202e},
                                                                            {0x2066, 0x2069}}};
  return std::ranges::any_of(
      kRanges, [code](const auto& range) { return range.first <= code && code <= range.second; });
}

void add_hexadecimal(std::string& text, std::uint32_t number, int digits) {
  for (int digit = digits - 1; digit >= 0; --digit) {
    text += "0123456789abcdef"[(number >> (4U * static_cast<unsigned>(digit))) & 0xfU];
  }
}

std::string escaped(std::string_view text, std::string_view kept) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const bool is_ascii = static_cast<unsigned char>(text[0]) < 0x80;
    const std::size_t length = is_ascii ? 1 : utf8_length(text);
    const std::string_view sequence = text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(sequence.size());
    if (length == 0) {
      shown += "\\x";
      add_hexadecimal(shown, static_cast<unsigned char>(sequence[0]), 2);
    } else if (kept.find(sequence) != std::string_view::npos ||
               !acts_on_terminal(code_point(sequence))) {
      shown += sequence;
    } else if (sequence == "\n") {
      shown += "\\n";
    } else {
      shown += "\\u";
      add_hexadecimal(shown, code_point(sequence), 4);
    }
  }
  return shown;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0xc2   ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[i])) return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool surrogate = lead == 0xed && second >= 0xa0;
  const bool beyond_unicode = lead == 0xf4 && second >= 0x90;
  return overlong || surrogate || beyond_unicode ? 0 : length;
}

std::string printable(std::string_view text) { return escaped(text, "\n\t"); }

std::string printable_line(std::string_view text) {
  constexpr std::size_t kMostBytes = 3000;
  constexpr std::size_t kEitherEnd = 1400;
  if (text.size() <= kMostBytes) return escaped(text, "\t");
  // An error begins with the place and ends with what was expected; what was found is in between.
  std::size_t head = kEitherEnd;
  std::size_t tail = text.size() - kEitherEnd;
  while (head > 0 && is_continuation(text[head])) --head;
  while (tail < text.size() && is_continuation(text[tail])) ++tail;
  return escaped(text.substr(0, head), "\t") + " ... (" + std::to_string(tail - head) +
         " bytes left out) ... " + escaped(text.substr(tail), "\t");
}

}  // namespace cospot
