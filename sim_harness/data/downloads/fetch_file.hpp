#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace cospot {

/// A file to fetch, and what is known about it.
struct FetchTask {
  std::string url;
  std::filesystem::path file;
  std::string sha256;  ///< 64 lower-case hexadecimal digits; empty: unknown
};

enum class FetchOutcome : std::uint8_t {
  kDownloaded,
  kContinued,    ///< the rest of an interrupted download
  kWasComplete,  ///< it existed and matches the recorded digest
};

struct FetchResult {
  FetchOutcome outcome = FetchOutcome::kDownloaded;
  std::uint64_t bytes = 0;
  std::string sha256;
};

/// Downloads a file unless it exists, and verifies it: against the given digest, or the one that an
/// earlier fetch recorded in `FILE.sha256`. Until it is complete and verified, the file is named
/// `FILE.part`.
///
/// Errors: InputError for a wrong digest or for an existing file of unknown origin, and those of
/// download_file.
[[nodiscard]] FetchResult fetch_file(const FetchTask& task);

}  // namespace cospot
