#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cospot {

/// Tells whether `bytes` start like a gzip file.
[[nodiscard]] bool is_gzip(std::string_view bytes);

/// Tells whether gzip data has become so much more than no table of data does: a small file must
/// not take all memory before its first line is judged.
[[nodiscard]] constexpr bool unpacks_to_too_much(std::size_t packed_bytes, std::size_t bytes) {
  constexpr std::size_t kHarmless = std::size_t{1} << 26;
  constexpr std::size_t kMostTimes = 200;  // tables of data become 5 to 50 times as large
  return bytes > kHarmless && bytes / kMostTimes > packed_bytes;
}
inline constexpr std::string_view kUnpacksToTooMuch =
    "the gzip data unpacks to more than 200 times its size, expected a table of data";

/// The result of decompressing: the text up to the first fault, and the fault.
struct Unpacked {
  std::string text;
  std::string fault;  ///< empty: none
};

/// Decompresses a gzip file of one or more members. Stops where the text turns out not to be one.
[[nodiscard]] Unpacked unpack_gzip(std::string_view bytes);

/// The text of a file with these bytes, gzip or plain, without a byte order mark. Errors:
/// WorkloadError with `file:line:`, or with `file:` for another encoding or compression.
[[nodiscard]] std::string unpacked_text(std::string bytes, std::string_view file);

/// Compresses `text` to one gzip member without time stamp or name, so that equal texts give equal
/// bytes (with one version of zlib).
[[nodiscard]] std::string pack_gzip(std::string_view text);

}  // namespace cospot
