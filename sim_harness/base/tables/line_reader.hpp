#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

struct gzFile_s;

namespace cospot {

/// Reads a text file line by line, plain or gzip, with a buffer of fixed size: for files too large
/// for memory. Skips a byte order mark.
///
/// Errors: WorkloadError with `file:line:` for unusable text (not UTF-8, a line that is too long,
/// truncated gzip data), with `file:` if the file cannot be read.
class LineReader {
 public:
  explicit LineReader(std::filesystem::path path);
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;
  ~LineReader();

  /// Sets `line` to the next line, without its end; it stays valid until the next call. False at
  /// the end of the file.
  [[nodiscard]] bool next(std::string_view& line);

  /// The same for a line of arbitrary bytes, which the caller checks.
  [[nodiscard]] bool next_bytes(std::string_view& line);

  /// The number of the line last returned by next(), from 1.
  [[nodiscard]] std::size_t line_number() const { return line_number_; }

  /// Throws a WorkloadError about the line last returned by next().
  [[noreturn]] void fail(std::string_view what) const;

 private:
  void fill();

  std::filesystem::path path_;
  gzFile_s* file_ = nullptr;
  std::string buffer_;
  std::size_t begin_ = 0;  ///< start of the unreturned part of buffer_
  std::size_t unpacked_bytes_ = 0;
  bool at_end_ = false;
  std::size_t line_number_ = 0;
};

}  // namespace cospot
