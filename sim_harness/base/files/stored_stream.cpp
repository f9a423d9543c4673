#include "sim_harness/base/files/stored_stream.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace cospot {

StoredStream::StoredStream(const std::filesystem::path& path) : target_(path) {
  const int copy = ::fcntl(target_.descriptor(), F_DUPFD_CLOEXEC, 0);
  // T: zlib's buffered file without packing, so that both kinds of file are written one way.
  if (copy >= 0) file_ = ::gzdopen(copy, path.extension() == ".gz" ? "wb" : "wbT");
  if (file_ != nullptr) return;
  if (copy >= 0) ::close(copy);
  target_.fail(std::strerror(errno));
}

StoredStream::~StoredStream() {
  if (file_ != nullptr) ::gzclose_w(file_);
}

void StoredStream::write(std::string_view bytes) {
  // A piece at a time: packing is slow, and an interrupt does not wait for all of it.
  constexpr std::size_t kMost = std::size_t{1} << 22;
  while (!bytes.empty()) {
    stop_.check();
    const std::size_t offered = std::min(bytes.size(), kMost);
    errno = 0;
    const int written = ::gzwrite(file_, bytes.data(), static_cast<unsigned>(offered));
    if (written <= 0) fail();
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void StoredStream::commit() {
  errno = 0;
  if (::gzclose_w(std::exchange(file_, nullptr)) != Z_OK) fail();
  target_.commit();
}

void StoredStream::fail() {
  target_.fail(errno != 0 ? std::strerror(errno) : "zlib cannot pack it");
}

}  // namespace cospot
