#pragma once

#include <filesystem>
#include <string_view>

#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"

struct gzFile_s;

namespace cospot {

/// A file written piece by piece, for data too large for memory; gzip-compressed if its name ends
/// in `.gz`. Otherwise a NewFile.
class StoredStream {
 public:
  explicit StoredStream(const std::filesystem::path& path);
  StoredStream(const StoredStream&) = delete;
  StoredStream& operator=(const StoredStream&) = delete;
  ~StoredStream();

  void write(std::string_view bytes);

  /// Puts everything on disk and replaces the old file. Nothing can be written afterwards.
  void commit();

 private:
  [[noreturn]] void fail();

  NewFile target_;
  StopToken stop_ = current_stop_token();
  gzFile_s* file_ = nullptr;  ///< writes to a copy of the target's descriptor, which it closes
};

}  // namespace cospot
