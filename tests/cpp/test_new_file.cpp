#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "error_text.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/base/files/stored_file.hpp"

namespace cospot {
namespace {

std::set<std::string> names_in(const ScratchFolder& folder) {
  std::set<std::string> names;
  for (const auto& each : std::filesystem::directory_iterator(folder.path())) {
    names.insert(each.path().filename());
  }
  return names;
}

/// The one name in the folder that is not `known`.
std::string other_name_in(const ScratchFolder& folder, const std::string& known) {
  std::set<std::string> names = names_in(folder);
  names.erase(known);
  REQUIRE(names.size() == 1);
  return *names.begin();
}

TEST_CASE("NewFile: nobody can foresee the name of the unfinished file") {
  const ScratchFolder folder;
  const std::filesystem::path file = folder / "out.csv";
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const NewFile unfinished(file);
    const std::string name = other_name_in(folder, "out.csv");
    CHECK(name.size() == std::string("out.csv.0123456789abcdef.partial").size());
    seen.insert(name);
  }
  CHECK(seen.size() == 100);  // of 2^64; with a process's number in it they would all be one
  CHECK(names_in(folder).empty());
}

TEST_CASE("NewFile: the new file has the permissions of the umask, whatever the old one had") {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.write("out.csv", "old");
  ::chmod(file.c_str(), 0600);
  const mode_t before = ::umask(027);
  write_stored_file(file, "new");
  ::umask(before);
  struct stat status {};
  REQUIRE(::stat(file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777U) == 0640);  // 0666 without 027
}

TEST_CASE("NewFile: what a killed process left goes with the next one of the same file") {
  const ScratchFolder folder;
  const std::filesystem::path file = folder / "out.csv";
  const pid_t child = ::fork();
  if (child == 0) {
    NewFile unfinished(file);
    unfinished.write("half");
    ::raise(SIGKILL);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  CHECK(ScratchFolder::read(folder / other_name_in(folder, "out.csv")) == "half");
  write_stored_file(file, "whole");
  CHECK(names_in(folder) == std::set<std::string>{"out.csv"});
}

TEST_CASE("NewFile: nothing but leftovers of this file is removed") {
  const ScratchFolder folder;
  const std::set<std::string> kept{
      "other.csv.0123456789abcdef.partial",  // of another output
      "out.csv.1111111111111111.partial",    // being written
      "out.csv.2222222222222222.partial",    // a link that somebody has laid
      "out.csv.12345.partial",               // named otherwise
      "out.csv.XXXXXXXXXXXXXXXX.partial",
      "out.csv0123456789abcdef.partial",
      "victim"};
  for (const std::string& name : kept) {
    if (name.find("2222") == std::string::npos) (void)folder.write(name, "precious");
  }
  std::filesystem::create_symlink("victim", folder / "out.csv.2222222222222222.partial");
  (void)folder.write("out.csv.3333333333333333.partial", "half");
  const Descriptor living(
      ::open((folder / "out.csv.1111111111111111.partial").c_str(), O_RDWR | O_CLOEXEC));
  REQUIRE(::flock(living.number(), LOCK_EX) == 0);
  write_stored_file(folder / "out.csv", "new");
  std::set<std::string> expected = kept;
  expected.insert("out.csv");
  CHECK(names_in(folder) == expected);
  CHECK(ScratchFolder::read(folder / "victim") == "precious");
}

TEST_CASE("NewFile: two that write one file at once do not meet, and the last one stays") {
  const ScratchFolder folder;
  const std::filesystem::path file = folder / "out.csv";
  NewFile first(file);
  NewFile second(file);
  first.write("first");
  second.write("second");
  second.commit();
  CHECK(ScratchFolder::read(file) == "second");
  first.commit();
  CHECK(ScratchFolder::read(file) == "first");
  CHECK(names_in(folder) == std::set<std::string>{"out.csv"});
}

TEST_CASE("NewFile: a link of one's own leads on, one of another user is refused") {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "far");
  std::filesystem::create_symlink("middle.csv", folder / "link.csv");
  std::filesystem::create_symlink("far/end.csv", folder / "middle.csv");
  write_stored_file(folder / "link.csv", "one");
  write_stored_file(folder / "link.csv", "two");
  CHECK(ScratchFolder::read(folder / "far/end.csv") == "two");
  CHECK(std::filesystem::is_symlink(folder / "link.csv"));
  std::filesystem::create_symlink("round.csv", folder / "round.csv");
  CHECK(contains(error_text<InputError>([&] { write_stored_file(folder / "round.csv", "x"); }),
                 "round.csv: cannot be written: Too many levels of symbolic links"));
  if (::geteuid() != 0) return;  // only root can give a link away
  constexpr uid_t kNobody = 65534;
  REQUIRE(::lchown((folder / "middle.csv").c_str(), kNobody, kNobody) == 0);
  CHECK(contains(error_text<InputError>([&] { write_stored_file(folder / "link.csv", "three"); }),
                 "link.csv: cannot be written: it leads through a link of another user"));
  CHECK(ScratchFolder::read(folder / "far/end.csv") == "two");
}

TEST_CASE("NewFile: a pipe is written as it is, and not opened only to be asked about") {
  const ScratchFolder folder;
  const std::filesystem::path pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  require_writable(pipe);  // would wait for a reader
  const Descriptor reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  write_stored_file(pipe, "through");
  std::string bytes(16, '\0');
  CHECK(::read(reader.number(), bytes.data(), bytes.size()) == 7);
  CHECK(std::filesystem::is_fifo(pipe));
  CHECK(names_in(folder) == std::set<std::string>{"pipe"});
}

TEST_CASE("NewFile: a long name is no obstacle") {
  const ScratchFolder folder;
  const std::string name(255, 'x');  // as long as a name may be
  write_stored_file(folder / name, "new");
  CHECK(names_in(folder) == std::set<std::string>{name});
}

}  // namespace
}  // namespace cospot
