#include "sim_harness/base/text/plain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/printable_text.hpp"

namespace cospot {
namespace {

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U; }

}  // namespace

std::size_t find_non_text(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if ((byte >= 0x20 && byte < 0x7f) || byte == '\n' || byte == '\t') {
      ++at;
    } else if (byte == '\r' && (at + 1 == text.size() || text[at + 1] == '\n')) {
      ++at;
    } else if (byte >= 0x80) {
      const std::size_t length = utf8_length(text.substr(at));
      if (length == 0) return at;
      at += length;
    } else {
      return at;
    }
  }
  return std::string_view::npos;
}

std::string non_text_fault(char byte) {
  if (byte == '\r') return "a CR stands alone, expected lines that end with LF or CR LF";
  return fmt::format("byte 0x{:02x} is not text, expected UTF-8, plain or gzip",
                     static_cast<unsigned char>(byte));
}

std::string_view other_kind_of_file(std::string_view begin) {
  struct Kind {
    std::string_view begins;
    std::string_view name;
  };
  constexpr std::string_view kUtf16 = "UTF-16, expected UTF-8: iconv -f UTF-16 -t UTF-8 FILE";
  using std::string_view_literals::operator""sv;
  static constexpr std::array<Kind, 8> kKinds{{
      {"\x28\xb5\x2f\xfd"sv,
       "compressed by zstd, expected plain text or gzip: zstd -dc FILE | gzip"},
      {"\xfd"
       "7zXZ"sv,
       "compressed by xz, expected plain text or gzip: xz -dc FILE | gzip"},
      {"BZh"sv, "compressed by bzip2, expected plain text or gzip: bzip2 -dc FILE | gzip"},
      {"PK\x03\x04"sv, "a zip archive or an Excel workbook, expected text: save it as CSV"},
      {"\xff\xfe\0\0"sv, "UTF-32, expected UTF-8: iconv -f UTF-32 -t UTF-8 FILE"},
      {"\0\0\xfe\xff"sv, "UTF-32, expected UTF-8: iconv -f UTF-32 -t UTF-8 FILE"},
      {"\xff\xfe"sv, kUtf16},
      {"\xfe\xff"sv, kUtf16},
  }};
  for (const Kind& kind : kKinds) {
    if (begin.starts_with(kind.begins)) return kind.name;
  }
  // Without a mark, every second byte of what is mostly ASCII is 0.
  const auto is_zero = [begin](std::size_t at) { return begin[at] == '\0'; };
  const bool is_half_zero = begin.size() >= 4 && is_zero(0) != is_zero(1) &&
                            is_zero(2) == is_zero(0) && is_zero(3) == is_zero(1);
  return is_half_zero ? kUtf16 : std::string_view();
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string quoted_excerpt(std::string_view value, std::size_t most_bytes) {
  if (value.size() <= most_bytes) return fmt::format("'{}'", value);
  std::size_t cut = most_bytes;
  while (cut > 0 && is_continuation(value[cut])) --cut;
  return fmt::format("'{}...'", value.substr(0, cut));
}

}  // namespace cospot
