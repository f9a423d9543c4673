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
#include "core/printable_text.hpp"

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
  file_ = Descriptor(
      ::open(part_.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666));
  if (!file_.is_open()) fail(errno == ELOOP ? "it is a link" : std::strerror(errno));
  if (::flock(file_.number(), LOCK_EX | LOCK_NB) != 0) {
    fail(errno == EWOULDBLOCK ? "another process is downloading it" : std::strerror(errno));
  }
  require_ours();
  validator_ = read_validator();
  const off_t end = ::lseek(file_.number(), 0, SEEK_END);
  if (validator_.empty() || end <= 0) {
    restart({});
  } else {
    size_ = static_cast<std::uint64_t>(end);
  }
}

PartFile::~PartFile() {
  // An empty file is of no use to the next download.
  if (file_.is_open() && size_ == 0) remove();
}

void PartFile::require_ours() {
  struct stat status {};
  if (::fstat(file_.number(), &status) != 0) fail(std::strerror(errno));
  if (!S_ISREG(status.st_mode)) fail("it is not a regular file");
  if (status.st_uid != ::geteuid()) fail("it belongs to another user");
  if (status.st_nlink > 1) fail("it has a second name, a hard link");
}

std::string PartFile::read_validator() const {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(symlink_status(validator_file_, ignored))) return {};
  std::string validator = read_stored_file(validator_file_);
  // It becomes a line of the next request.
  return validator == printable_line(validator) ? validator : std::string();
}

void PartFile::restart(const std::string& validator) {
  // The old validator goes first and the new one comes before the first byte: at no time does one
  // stand beside bytes of another version.
  ::unlink(validator_file_.c_str());
  if (::ftruncate(file_.number(), 0) != 0 || ::lseek(file_.number(), 0, SEEK_SET) != 0) {
    fail(std::strerror(errno));
  }
  size_ = 0;
  validator_ = validator;
  if (!validator_.empty()) write_stored_file(validator_file_, validator_);
}

void PartFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
    size_ += static_cast<std::uint64_t>(written);
  }
}

void PartFile::flush() {
  if (::fsync(file_.number()) != 0 && errno != EINVAL) fail(std::strerror(errno));
}

void PartFile::finish() {
  if (std::rename(part_.c_str(), target_.c_str()) != 0) fail(std::strerror(errno));
  ::unlink(validator_file_.c_str());
  file_.close();
}

void PartFile::remove() {
  ::unlink(validator_file_.c_str());
  ::unlink(part_.c_str());
  file_.close();
}

void PartFile::fail(std::string_view reason) const {
  throw InputError(fmt::format("{}: cannot be written: {}", part_.string(), reason));
}

}  // namespace cospot
