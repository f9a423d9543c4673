#include "sim_harness/base/files/stored_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/base/files/gzip.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/base/interrupt/temporary_path.hpp"

namespace cospot {
namespace {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] bool is_open() const { return number_ >= 0; }
  /// Closes now; false when what was written did not reach the disk.
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

[[noreturn]] void fail_reading(const std::filesystem::path& path, std::string_view reason) {
  throw WorkloadError(fmt::format("{}: cannot be read: {}", path.string(), reason));
}

[[noreturn]] void fail_writing(const std::filesystem::path& path, std::string_view reason) {
  throw WorkloadError(fmt::format("{}: cannot be written: {}", path.string(), reason));
}

/// Read or written in one call, so that an interrupt need not wait for a large file.
constexpr std::size_t kCopiedAtOnce = std::size_t{1} << 24;

/// Waits until a pipe has something to read or is at its end. A read alone would wait for a silent
/// one whatever happens.
void wait_for_bytes(const Descriptor& file, const StopToken& stop) {
  constexpr int kLookEveryMs = 100;
  pollfd wanted{.fd = file.number(), .events = POLLIN, .revents = 0};
  do {
    stop.check();
  } while (::poll(&wanted, 1, kLookEveryMs) <= 0);
}

/// Writes, flushes to disk and closes. On failure errno says why.
bool write_all(Descriptor& file, std::string_view bytes) {
  const StopToken stop = current_stop_token();
  while (!bytes.empty()) {
    stop.check();
    const ssize_t written =
        ::write(file.number(), bytes.data(), std::min(bytes.size(), kCopiedAtOnce));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  // Without it, a crash of the machine soon after the rename could leave an empty file.
  if (::fsync(file.number()) != 0 && errno != EINVAL) return false;
  return file.close();
}

}  // namespace

std::string read_stored_file(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) fail_reading(path, std::strerror(errno));
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) fail_reading(path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail_reading(path, "it is a directory, expected a file");
  std::string bytes;
  std::size_t size = 0;
  // One byte more than the file has, so that the read which sees the end needs no growth.
  bytes.resize(static_cast<std::size_t>(status.st_size) + 1);
  const StopToken stop = current_stop_token();
  for (;;) {
    stop.check();
    if (!S_ISREG(status.st_mode)) wait_for_bytes(file, stop);
    if (size == bytes.size()) bytes.resize(2 * size + 65536);
    const ssize_t got =
        ::read(file.number(), bytes.data() + size, std::min(bytes.size() - size, kCopiedAtOnce));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_reading(path, std::strerror(errno));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

void write_stored_file(const std::filesystem::path& path, std::string_view bytes) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    fail_writing(path, "it exists and is not a regular file");
  }
  const std::filesystem::path part = path.string() + fmt::format(".part{}", ::getpid());
  const TemporaryPath temporary(part);
  Descriptor file(::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.is_open()) fail_writing(path, std::strerror(errno));
  try {
    if (write_all(file, bytes) && std::rename(part.c_str(), path.c_str()) == 0) return;
    fail_writing(path, std::strerror(errno));
  } catch (...) {
    ::unlink(part.c_str());
    throw;
  }
}

void write_stored_text(const std::filesystem::path& path, std::string_view text) {
  if (path.extension() == ".gz") return write_stored_file(path, pack_gzip(text));
  write_stored_file(path, text);
}

}  // namespace cospot
