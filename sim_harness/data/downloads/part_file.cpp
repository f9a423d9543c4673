#include "sim_harness/data/downloads/part_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/base/files/stored_file.hpp"

namespace cospot {

MadeFolders::~MadeFolders() {
  // rmdir refuses a folder with something in it, and all that is no folder.
  for (const std::filesystem::path& folder : made_) {
    if (::rmdir(folder.c_str()) != 0) return;
  }
}

void MadeFolders::make(const std::filesystem::path& folder, std::error_code& error) {
  std::error_code ignored;
  for (std::filesystem::path missing = folder;
       !missing.empty() && !std::filesystem::exists(symlink_status(missing, ignored));
       missing = missing.parent_path()) {
    made_.push_back(missing);
  }
  std::filesystem::create_directories(folder, error);
}

PartFile::PartFile(std::filesystem::path target)
    : target_(std::move(target)),
      part_(target_.string() + ".part"),
      validator_file_(target_.string() + ".part.validator") {
  std::error_code error;
  if (target_.has_parent_path()) folders_.make(target_.parent_path(), error);
  if (error) fail(error.message());
  descriptor_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(std::strerror(errno));
  try {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      fail(errno == EWOULDBLOCK ? "another process is downloading it" : std::strerror(errno));
    }
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) fail(std::strerror(errno));
    if (!S_ISREG(status.st_mode)) fail("it is not a regular file");
    if (std::filesystem::exists(validator_file_, error)) {
      validator_ = read_stored_file(validator_file_);
    }
    if (validator_.empty() || status.st_size == 0) {
      restart({});
    } else {
      size_ = static_cast<std::uint64_t>(::lseek(descriptor_, 0, SEEK_END));
    }
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

PartFile::~PartFile() {
  if (descriptor_ < 0) return;
  // An empty file is of no use to the next download.
  if (size_ == 0) {
    ::unlink(part_.c_str());
    ::unlink(validator_file_.c_str());
  }
  ::close(descriptor_);
}

void PartFile::restart(const std::string& validator) {
  // The old validator goes first and the new one comes before the first byte: at no time does one
  // stand beside bytes of another version.
  ::unlink(validator_file_.c_str());
  if (::ftruncate(descriptor_, 0) != 0 || ::lseek(descriptor_, 0, SEEK_SET) != 0) {
    fail(std::strerror(errno));
  }
  size_ = 0;
  validator_ = validator;
  if (!validator_.empty()) write_stored_file(validator_file_, validator_);
}

void PartFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
    size_ += static_cast<std::uint64_t>(written);
  }
}

void PartFile::flush() {
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail(std::strerror(errno));
}

void PartFile::finish() {
  if (std::rename(part_.c_str(), target_.c_str()) != 0) fail(std::strerror(errno));
  ::unlink(validator_file_.c_str());
  ::close(std::exchange(descriptor_, -1));
}

void PartFile::remove() {
  ::unlink(validator_file_.c_str());
  ::unlink(part_.c_str());
  ::close(std::exchange(descriptor_, -1));
}

void PartFile::fail(std::string_view reason) const {
  throw InputError(fmt::format("{}: cannot be written: {}", part_.string(), reason));
}

}  // namespace cospot
