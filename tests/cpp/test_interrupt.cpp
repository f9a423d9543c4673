#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <thread>

#include "core/errors.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/base/files/gzip.hpp"
#include "sim_harness/base/files/sqlite_connection.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/files/stored_stream.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/base/interrupt/temporary_path.hpp"
#include "sim_harness/data/workloads/synthetic_workload.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

bool is_empty(const ScratchFolder& folder) { return fs::is_empty(folder.path()); }

}  // namespace

TEST_CASE("StopToken: asks once its flag is set, and notes that it was noticed") {
  StopFlag flag;
  const StopToken token(flag);
  CHECK_FALSE(token.is_asked());
  CHECK_FALSE(StopToken().is_asked());
  flag.asked = true;
  CHECK_FALSE(flag.noticed);
  CHECK(token.is_asked());
  CHECK(flag.noticed);
  CHECK_THROWS_AS(token.check(), Interrupted);
}

TEST_CASE("StopScope: holds for its thread and its lifetime, and shields with an empty token") {
  StopFlag flag;
  flag.asked = true;
  CHECK_FALSE(current_stop_token().is_asked());
  {
    const StopScope scope{StopToken(flag)};
    CHECK(current_stop_token().is_asked());
    bool other_thread_asked = true;
    std::thread([&] { other_thread_asked = current_stop_token().is_asked(); }).join();
    CHECK_FALSE(other_thread_asked);
    {
      const StopScope shield{StopToken()};
      CHECK_FALSE(current_stop_token().is_asked());
    }
    CHECK(current_stop_token().is_asked());
  }
  CHECK_FALSE(current_stop_token().is_asked());
}

TEST_CASE("an interrupt ends reading, writing, packing and generating, and leaves no file behind") {
  const ScratchFolder folder;
  const std::string text(1 << 20, 'x');
  const std::string packed = pack_gzip(text);
  StopFlag flag;
  flag.asked = true;
  {
    const StopScope scope{StopToken(flag)};
    CHECK_THROWS_AS((void)pack_gzip(text), Interrupted);
    CHECK_THROWS_AS((void)unpack_gzip(packed), Interrupted);
    CHECK_THROWS_AS((void)generate_workload({}), Interrupted);
    CHECK_THROWS_AS(write_stored_file(folder / "a.csv", text), Interrupted);
    CHECK_THROWS_AS(StoredStream(folder / "b.csv").write(text), Interrupted);
    CHECK(is_empty(folder));
  }
  write_stored_file(folder / "a.csv", text);
  const StopScope scope{StopToken(flag)};
  CHECK_THROWS_AS((void)read_stored_file(folder / "a.csv"), Interrupted);
}

TEST_CASE("an interrupt ends a long query, not what is shielded") {
  const ScratchFolder folder;
  SqliteConnection connection(folder / "r.db", SqliteOpen::kCreate);
  StopFlag flag;
  flag.asked = true;
  const StopScope scope{StopToken(flag)};
  // Counts to a million: some ten million steps of SQLite's machine.
  const std::string count =
      "CREATE TABLE t AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c "
      "WHERE n < 1000000) SELECT sum(n) AS total FROM c";
  CHECK_THROWS_AS(connection.execute(count), Interrupted);
  const StopScope shield{StopToken()};
  connection.execute(count);
  SqliteStatement select(connection, "SELECT total FROM t");
  REQUIRE(select.step());
  CHECK(select.read_integer() == 500'000'500'000);  // n (n + 1) / 2
}

TEST_CASE("remove_temporary_paths: removes what is unfinished, and nothing else") {
  const ScratchFolder folder;
  const pid_t child = ::fork();  // it lets no path be noted or forgotten any more
  if (child == 0) {
    const TemporaryPath part(folder / "a.part1");
    const TemporaryPath transfer(folder / "transfer");
    const TemporaryPath never_made(folder / "b.part1");
    { const TemporaryPath finished(folder / "finished.csv"); }
    (void)folder.write("a.part1", "half");
    (void)folder.write("finished.csv", "whole");
    fs::create_directory(folder / "transfer");
    (void)folder.write("transfer/spots.csv", "x");
    remove_temporary_paths();
    ::_exit(0);
  }
  int status = 1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK_FALSE(fs::exists(folder / "a.part1"));
  CHECK_FALSE(fs::exists(folder / "transfer"));
  CHECK(ScratchFolder::read(folder / "finished.csv") == "whole");
}

}  // namespace cospot
