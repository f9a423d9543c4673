#include "sim_harness/data/downloads/fetch_file.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <string_view>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/data/downloads/http_download.hpp"
#include "sim_harness/data/downloads/part_file.hpp"

namespace cospot {
namespace {

constexpr std::size_t kHexDigits = 64;

std::filesystem::path record_of(const std::filesystem::path& file) {
  return file.string() + ".sha256";
}

/// The digest in a record as sha256sum writes it; empty when there is none.
std::string read_record(const std::filesystem::path& file) {
  const std::filesystem::path record = record_of(file);
  std::error_code ignored;
  if (!std::filesystem::exists(record, ignored)) return {};
  const std::string text = read_stored_file(record);
  const std::string digest = text.substr(0, kHexDigits);
  if (digest.size() == kHexDigits &&
      digest.find_first_not_of("0123456789abcdef") == std::string::npos &&
      text.substr(kHexDigits).starts_with("  ")) {
    return digest;
  }
  throw InputError(
      fmt::format("{}: expected a SHA-256, two blanks and a file name, as sha256sum writes them",
                  record.string()));
}

void write_record(const std::filesystem::path& file, const std::string& digest) {
  write_stored_file(record_of(file), fmt::format("{}  {}\n", digest, file.filename().string()));
}

std::string digest_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  Sha256 digest;
  std::array<char, 1 << 16> buffer;
  do {
    stream.read(buffer.data(), buffer.size());
    digest.add({buffer.data(), static_cast<std::size_t>(stream.gcount())});
  } while (stream);
  if (stream.bad() || !stream.eof()) {
    throw InputError(fmt::format("{}: cannot be read", file.string()));
  }
  return digest.finish_hex();
}

/// The digest that the file has to have; empty when none is known.
std::string expected_digest(const FetchTask& task) {
  std::string recorded = read_record(task.file);
  if (recorded.empty() || task.sha256.empty() || recorded == task.sha256) {
    return recorded.empty() ? task.sha256 : recorded;
  }
  throw InputError(fmt::format("--sha256 is {}, but {} has {}: expected the same, or no record",
                               task.sha256, record_of(task.file).string(), recorded));
}

FetchResult check_present(const FetchTask& task, const std::string& expected) {
  if (!std::filesystem::is_regular_file(task.file)) {
    throw InputError(fmt::format("{}: exists and is not a regular file", task.file.string()));
  }
  if (expected.empty()) {
    throw InputError(
        fmt::format("{}: exists, but nothing tells whether it is complete: there is no {}; "
                    "expected --sha256, or "
                    "no such file",
                    task.file.string(), record_of(task.file).string()));
  }
  const std::string digest = digest_of(task.file);
  if (digest != expected) {
    throw InputError(
        fmt::format("{}: its SHA-256 is {}, expected {}; remove the file to fetch it again",
                    task.file.string(), digest, expected));
  }
  write_record(task.file, digest);
  return {.outcome = FetchOutcome::kWasComplete,
          .bytes = std::filesystem::file_size(task.file),
          .sha256 = digest};
}

}  // namespace

FetchResult fetch_file(const FetchTask& task) {
  const std::string expected = expected_digest(task);
  std::error_code ignored;
  if (std::filesystem::exists(task.file, ignored)) return check_present(task, expected);
  PartFile part(task.file);
  const bool continues = part.size() > 0;
  download_file(task.url, part);
  const std::string digest = digest_of(part.path());
  if (!expected.empty() && digest != expected) {
    part.remove();
    throw InputError(
        fmt::format("{}: the SHA-256 of what came is {}, expected {}{}; nothing was kept", task.url,
                    digest, expected,
                    task.sha256.empty()
                        ? fmt::format(" (recorded in {}; remove that to accept another version)",
                                      record_of(task.file).string())
                        : std::string()));
  }
  write_record(task.file, digest);
  const std::uint64_t bytes = part.size();
  part.finish();
  return {.outcome = continues ? FetchOutcome::kContinued : FetchOutcome::kDownloaded,
          .bytes = bytes,
          .sha256 = digest};
}

}  // namespace cospot
