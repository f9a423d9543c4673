#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/base/interrupt/temporary_path.hpp"

struct gzFile_s;

namespace cospot {

/// A file written piece by piece, for data too large for memory; gzip-compressed if its name ends
/// in `.gz`. Atomic like write_stored_file: the bytes go to a new file next to it, which commit()
/// renames; without a commit nothing remains.
///
/// Errors: InputError with the path and the reason.
class StoredStream {
 public:
  explicit StoredStream(std::filesystem::path path);
  StoredStream(const StoredStream&) = delete;
  StoredStream& operator=(const StoredStream&) = delete;
  ~StoredStream();

  void write(std::string_view bytes);

  /// Puts everything on disk and replaces the old file. Nothing can be written afterwards.
  void commit();

 private:
  [[noreturn]] void fail(std::string_view reason) const;

  std::filesystem::path path_;
  std::filesystem::path part_;
  std::optional<TemporaryPath> temporary_;
  StopToken stop_ = current_stop_token();
  int descriptor_ = -1;  ///< a separate one, for synchronising after zlib has closed its copy
  gzFile_s* file_ = nullptr;
};

}  // namespace cospot
