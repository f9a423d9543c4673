#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "core/errors.hpp"
#include "error_text.hpp"
#include "sim_harness/base/files/gzip.hpp"
#include "sim_harness/base/files/stored_stream.hpp"
#include "tests/cpp/scratch_folder.hpp"

namespace cospot {
namespace {

/// Lines that gzip cannot shrink to nothing.
std::string lines(int first, int count) {
  std::string text;
  for (int i = first; i < first + count; ++i) {
    text += std::to_string(i) + "," + std::to_string(static_cast<unsigned>(i) * 2654435761U) + "\n";
  }
  return text;
}

TEST_CASE("StoredStream: the pieces become a file, packed or not, when it is committed") {
  const ScratchFolder folder;
  for (const char* name : {"plain.csv", "packed.csv.gz"}) {
    CAPTURE(name);
    const std::filesystem::path file = folder / name;
    StoredStream stream(file);
    for (int i = 0; i < 100; ++i) stream.write(lines(1000 * i, 1000));
    stream.write("");
    CHECK_FALSE(std::filesystem::exists(file));
    stream.commit();
    const std::string bytes = ScratchFolder::read(file);
    CHECK((unpack_gzip(bytes).fault.empty() ? unpack_gzip(bytes).text : bytes) ==
          lines(0, 100'000));
    CHECK(is_gzip(bytes) == (file.extension() == ".gz"));
  }
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("StoredStream: without a commit nothing is left, and an old file is as it was") {
  const ScratchFolder folder;
  const auto file = folder.write("old.csv", "old");
  { StoredStream(file).write("new"); }
  CHECK(ScratchFolder::read(file) == "old");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  StoredStream stream(file);
  stream.write("new");
  stream.commit();
  CHECK(ScratchFolder::read(file) == "new");
}

std::string error_of_opening(const std::filesystem::path& file) {
  try {
    const StoredStream stream(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("StoredStream: what cannot be written is an error that names the file") {
  const ScratchFolder folder;
  const std::filesystem::path lost = folder / "no/such/folder.csv";
  CHECK(error_of_opening(lost) == lost.string() + ": cannot be written: No such file or directory");
  CHECK(error_of_opening(folder.path()) ==
        folder.path().string() + ": cannot be written: Is a directory");
  CHECK(error_of_opening("/dev/full").empty());  // a device is written in place
}

/// Files of this process may not grow beyond `bytes`, as on a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

/// Writes `count` lines and commits; returns what went wrong.
std::string error_of_writing(const std::filesystem::path& file, int count) {
  const FileSizeLimit limit(4096);
  try {
    StoredStream stream(file);
    stream.write(lines(0, count));
    stream.commit();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("StoredStream: a full device is an error of the file") {
  StoredStream stream("/dev/full");
  stream.write("x");
  CHECK(error_text<InputError>([&] { stream.commit(); }) ==
        "/dev/full: cannot be written: No space left on device");
}

TEST_CASE("StoredStream: a disk that fills up is an error and leaves nothing behind") {
  const ScratchFolder folder;
  for (const char* name : {"events.csv", "events.csv.gz"}) {
    // So few that the commit is what finds out, and so many that a write does.
    for (const int count : {700, 100'000}) {
      CAPTURE(name);
      CAPTURE(count);
      const std::filesystem::path file = folder / name;
      CHECK(error_of_writing(file, count) == file.string() + ": cannot be written: File too large");
      CHECK(std::filesystem::is_empty(folder.path()));
    }
  }
}

}  // namespace
}  // namespace cospot
