#pragma once

#include <string>
#include <string_view>

namespace cospot {

/// Tells whether `bytes` start like a gzip file.
[[nodiscard]] bool is_gzip(std::string_view bytes);

/// The result of decompressing: the text up to the first fault, and the fault.
struct Unpacked {
  std::string text;
  std::string fault;  ///< empty: none
};

/// Decompresses a gzip file of one or more members.
[[nodiscard]] Unpacked unpack_gzip(std::string_view bytes);

/// The text of a file with these bytes, gzip or plain. Errors: WorkloadError with `file:line:`.
[[nodiscard]] std::string unpacked_text(std::string bytes, std::string_view file);

/// Compresses `text` to one gzip member without time stamp or name, so that equal texts give equal
/// bytes (with one version of zlib).
[[nodiscard]] std::string pack_gzip(std::string_view text);

}  // namespace cospot
