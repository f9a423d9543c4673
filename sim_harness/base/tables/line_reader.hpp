#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

struct gzFile_s;

namespace cospot {

/// Reads a text file line by line, unpacking gzip, in a buffer of fixed size: for files that are
/// too large to be held in memory.
///
/// Errors: WorkloadError with `file:line:` for text that cannot be used (not UTF-8, a line that is
/// too long, truncated gzip data), with `file:` when it cannot be read at all.
class LineReader {
 public:
  explicit LineReader(std::filesystem::path path);
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;
  ~LineReader();

  /// Sets `line` to the next line, without its end; it stays valid until the next call. False at
  /// the end of the file.
  [[nodiscard]] bool next(std::string_view& line);

  /// The same for a line that may be anything but text; the caller looks.
  [[nodiscard]] bool next_bytes(std::string_view& line);

  /// The number of the line that next() gave last, from 1.
  [[nodiscard]] std::size_t line_number() const { return line_number_; }

  /// Throws a WorkloadError about the line that next() gave last.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  void fill();

  std::filesystem::path path_;
  gzFile_s* file_ = nullptr;
  std::string buffer_;
  std::size_t begin_ = 0;  ///< of what is read but not given yet, in buffer_
  bool at_end_ = false;
  std::size_t line_number_ = 0;
};

}  // namespace cospot
