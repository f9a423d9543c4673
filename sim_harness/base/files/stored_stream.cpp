#include "sim_harness/base/files/stored_stream.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "core/errors.hpp"

namespace cospot {

StoredStream::StoredStream(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path_, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    fail("it exists and is not a regular file");
  }
  part_ = path_.string() + fmt::format(".part{}", ::getpid());
  temporary_.emplace(part_);
  descriptor_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(std::strerror(errno));
  const int copy = ::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  // T: zlib's buffered file without packing, so that both kinds of file are written one way.
  if (copy >= 0) file_ = ::gzdopen(copy, path_.extension() == ".gz" ? "wb" : "wbT");
  if (file_ != nullptr) return;
  const std::string reason = std::strerror(errno);
  if (copy >= 0) ::close(copy);
  ::close(descriptor_);
  ::unlink(part_.c_str());
  fail(reason);
}

StoredStream::~StoredStream() {
  if (file_ != nullptr) ::gzclose_w(file_);
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(part_.c_str());
}

void StoredStream::write(std::string_view bytes) {
  // A piece at a time: packing is slow, and an interrupt does not wait for all of it.
  constexpr std::size_t kMost = std::size_t{1} << 22;
  while (!bytes.empty()) {
    stop_.check();
    const std::size_t offered = std::min(bytes.size(), kMost);
    errno = 0;
    const int written = ::gzwrite(file_, bytes.data(), static_cast<unsigned>(offered));
    if (written <= 0) fail(errno != 0 ? std::strerror(errno) : "zlib cannot pack it");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void StoredStream::commit() {
  errno = 0;
  if (::gzclose_w(std::exchange(file_, nullptr)) != Z_OK) {
    fail(errno != 0 ? std::strerror(errno) : "zlib cannot pack it");
  }
  // Without it, a crash of the machine soon after the rename could leave an empty file.
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail(std::strerror(errno));
  if (std::rename(part_.c_str(), path_.c_str()) != 0) fail(std::strerror(errno));
  ::close(std::exchange(descriptor_, -1));
}

void StoredStream::fail(std::string_view reason) const {
  throw InputError(fmt::format("{}: cannot be written: {}", path_.string(), reason));
}

}  // namespace cospot
