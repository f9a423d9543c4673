#include "sim_harness/base/files/stored_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/base/files/gzip.hpp"

namespace cospot {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail_reading(const fs::path& path, std::string_view reason) {
  throw WorkloadError(fmt::format("{}: cannot be read: {}", path.string(), reason));
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

constexpr std::size_t kRandomDigits = 16;
constexpr std::string_view kPartial = ".partial";

/// `NAME.0123456789abcdef.partial`, with digits that nobody can foresee.
std::string partial_name(const std::string& name) {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != static_cast<ssize_t>(sizeof random)) {
    throw std::runtime_error(fmt::format("no random number: {}", std::strerror(errno)));
  }
  return fmt::format("{}.{:0{}x}{}", name, random, kRandomDigits, kPartial);
}

/// The name that a file has in those of its partial files. Cut, so that these are not too long for
/// a folder.
std::string name_in_partial(const fs::path& path) {
  constexpr std::size_t kMostBytes = 200;
  return path.filename().string().substr(0, kMostBytes);
}

/// The name in the name of a partial file; empty: it is none.
std::string_view name_of_partial(std::string_view file) {
  if (!file.ends_with(kPartial)) return {};
  file.remove_suffix(kPartial.size());
  if (file.size() < kRandomDigits + 2) return {};
  const std::string_view digits = file.substr(file.size() - kRandomDigits);
  if (digits.find_first_not_of("0123456789abcdef") != std::string_view::npos) return {};
  file.remove_suffix(kRandomDigits);
  if (file.back() != '.') return {};
  file.remove_suffix(1);
  return file;
}

/// Removes the partial file of a process that has ended. Those of others are locked, or not ours.
void remove_if_dead(const fs::path& partial) {
  const Descriptor file(::open(partial.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0) return;
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) return;
  if (::flock(file.number(), LOCK_EX | LOCK_NB) == 0) ::unlink(partial.c_str());
}

/// Removes what a killed process left of `path`. Each folder is listed once in a process, because
/// some commands write thousands of files into one.
void remove_leftovers(const fs::path& folder, const std::string& name) {
  struct Listed {
    std::mutex mutex;
    std::map<fs::path, std::vector<std::string>> partials;  ///< by folder
  };
  static Listed& listed = *new Listed;  // never destroyed: a thread may outlive main()
  const std::scoped_lock lock(listed.mutex);
  std::error_code error;
  const auto [at, is_new] = listed.partials.try_emplace(folder);
  std::vector<std::string>& partials = at->second;
  if (is_new) {
    for (fs::directory_iterator each(folder, error), end; !error && each != end;
         each.increment(error)) {
      const std::string file = each->path().filename().string();
      if (!name_of_partial(file).empty()) partials.push_back(file);
    }
  }
  for (const std::string& file : partials) {
    if (name_of_partial(file) == name) remove_if_dead(folder / file);
  }
  std::erase_if(partials, [&](const std::string& file) { return name_of_partial(file) == name; });
}

}  // namespace

std::string read_stored_file(const fs::path& path) {
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

void Descriptor::close() {
  if (is_open()) ::close(std::exchange(number_, -1));
}

NewFile::NewFile(fs::path path) : path_(std::move(path)) {
  if (const std::optional<fs::path> target = find_target()) {
    create_partial(*target);
  } else {
    open_in_place();
  }
}

NewFile::~NewFile() { remove_partial(); }

std::optional<fs::path> NewFile::find_target() {
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) return std::nullopt;
  constexpr int kMostLinks = 40;
  fs::path at = fs::absolute(path_, error);
  for (int links = 0; links < kMostLinks; ++links) {
    const fs::path folder = fs::weakly_canonical(at.parent_path(), error);
    if (error) fail(error.message());
    // A file that a process has open, to which /dev/stdout and /dev/fd/3 lead.
    if (folder.string().starts_with("/proc/")) return std::nullopt;
    at = folder / at.filename();
    struct stat link {};
    if (::lstat(at.c_str(), &link) != 0 || !S_ISLNK(link.st_mode)) return at;
    if (link.st_uid != ::geteuid() && link.st_uid != 0) {
      fail("it leads through a link of another user");
    }
    at = folder / fs::read_symlink(at, error);
  }
  fail(std::strerror(ELOOP));
}

void NewFile::open_in_place() {
  struct stat wanted {};
  struct stat output {};
  const bool is_output = ::stat(path_.c_str(), &wanted) == 0 &&
                         ::fstat(STDOUT_FILENO, &output) == 0 && wanted.st_dev == output.st_dev &&
                         wanted.st_ino == output.st_ino;
  // Opened anew, a file to which the output was redirected would be written from its start.
  if (is_output) std::fflush(stdout);
  file_ = Descriptor(is_output ? ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                               : ::open(path_.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC));
  if (!file_.is_open()) fail(std::strerror(errno));
}

void NewFile::create_partial(const fs::path& target) {
  target_ = target;
  const std::string name = name_in_partial(target);
  remove_leftovers(target.parent_path(), name);
  do {
    remove_partial();
    partial_ = target.parent_path() / partial_name(name);
    temporary_.emplace(partial_);
    file_ = Descriptor(
        ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (!file_.is_open()) fail(std::strerror(errno));
  } while (!is_ours_alone());
}

bool NewFile::is_ours_alone() const {
  // Until the lock is there, another process may take the file for a leftover. Where there are no
  // locks, nobody removes leftovers.
  if (::flock(file_.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  struct stat status {};
  return ::fstat(file_.number(), &status) != 0 || status.st_nlink > 0;
}

void NewFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    stop_.check();
    const ssize_t written =
        ::write(file_.number(), bytes.data(), std::min(bytes.size(), kCopiedAtOnce));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void NewFile::commit() {
  // Without it, a crash of the machine soon after the rename could leave an empty file. A pipe has
  // nothing to synchronise.
  if (::fsync(file_.number()) != 0 && errno != EINVAL && errno != EROFS) fail(std::strerror(errno));
  if (!partial_.empty() && std::rename(partial_.c_str(), target_.c_str()) != 0) {
    fail(std::strerror(errno));
  }
  partial_.clear();
  temporary_.reset();
  file_.close();
}

void NewFile::remove_partial() {
  // The lock goes last: nobody else removes it meanwhile.
  if (file_.is_open() && !partial_.empty()) ::unlink(partial_.c_str());
  temporary_.reset();
  file_.close();
}

void NewFile::fail(std::string_view reason) {
  const std::string text = fmt::format("{}: cannot be written: {}", path_.string(), reason);
  remove_partial();
  throw WorkloadError(text);
}

void require_writable(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  const bool is_pipe_or_device =
      fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
  if (!is_pipe_or_device) const NewFile writable(path);
}

void write_stored_file(const fs::path& path, std::string_view bytes) {
  NewFile file(path);
  file.write(bytes);
  file.commit();
}

void write_stored_text(const fs::path& path, std::string_view text) {
  if (path.extension() == ".gz") return write_stored_file(path, pack_gzip(text));
  write_stored_file(path, text);
}

}  // namespace cospot
