#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/base/interrupt/temporary_path.hpp"

struct gzFile_s;

namespace cospot {

/// A file that is written piece by piece, packed with gzip when its name ends in `.gz`, for what is
/// too large to be held in memory. Like write_stored_file it is all or nothing: the bytes go to a
/// new file beside it, which takes the name on commit(); without a commit nothing is left behind.
///
/// Errors: InputError with the path and the reason.
class StoredStream {
 public:
  explicit StoredStream(std::filesystem::path path);
  StoredStream(const StoredStream&) = delete;
  StoredStream& operator=(const StoredStream&) = delete;
  ~StoredStream();

  void write(std::string_view bytes);

  /// Puts everything on disk and in the place of what was there. Nothing can be written after it.
  void commit();

 private:
  [[noreturn]] void fail(std::string_view reason) const;

  std::filesystem::path path_;
  std::filesystem::path part_;
  std::optional<TemporaryPath> temporary_;
  StopToken stop_ = current_stop_token();
  int descriptor_ = -1;  ///< of its own, to synchronise after zlib has closed its copy
  gzFile_s* file_ = nullptr;
};

}  // namespace cospot
