#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace cospot {

/// A file to fetch, and what is known of it.
struct FetchTask {
  std::string url;
  std::filesystem::path file;
  std::string sha256;  ///< 64 lower-case hexadecimal digits; empty: not known
};

enum class FetchOutcome : std::uint8_t {
  kDownloaded,
  kContinued,    ///< the rest of it; an earlier download had broken off
  kWasComplete,  ///< it was there, and is what was recorded
};

struct FetchResult {
  FetchOutcome outcome = FetchOutcome::kDownloaded;
  std::uint64_t bytes = 0;
  std::string sha256;
};

/// Downloads a file unless it is there, and checks it: by the given digest, or by the one that an
/// earlier fetch recorded beside it in `FILE.sha256`. The file has its name only once it is
/// complete and right; until then it is `FILE.part`.
///
/// Errors: InputError, for a digest that does not fit, a file of unknown origin in its place, and
/// those of download_file.
[[nodiscard]] FetchResult fetch_file(const FetchTask& task);

}  // namespace cospot
