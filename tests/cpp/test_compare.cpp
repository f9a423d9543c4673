#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>

#include "core/errors.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/experiments/queue/merge_databases.hpp"
#include "sim_harness/studies/study.hpp"
#include "sweep_fixtures.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

ExperimentOutcome run_comparison(const fs::path& file, ExperimentOptions options,
                                 const RunGroupFunction& run_group) {
  options.database = file;
  NoProgress progress;
  return run_experiment(made_comparison(run_group), options, progress);
}

std::string csv_of(const fs::path& file) { return csv_of_file(file, Timing::kOn); }

TEST_CASE("compare: the same rows for any number of threads, in grid order") {
  const ScratchFolder folder;
  const std::string expected = csv_of(made_rows(0, 32), Timing::kOn);
  for (const std::size_t threads : {1U, 2U, 4U, 64U}) {
    const fs::path file = folder / (std::to_string(threads) + ".db");
    const ExperimentOutcome outcome = run_comparison(file, {.threads = threads}, made_runs());
    CHECK_FALSE(outcome.interrupted);
    CHECK(outcome.total == 32);
    CHECK(outcome.done == 32);
    CHECK(csv_of(file) == expected);
  }
  ResultsDatabase results(folder / "4.db");
  const ResultRow row = read_result_rows(results).at(17);
  CHECK(row.configuration == made_row(17).configuration);
  CHECK(row.workload_sha256 == std::string(64, 'b'));
  CHECK(row.seed == 7);
  CHECK_FALSE(row.version.empty());
}

TEST_CASE("compare: without timing the database holds none") {
  const ScratchFolder folder;
  (void)run_comparison(folder / "r.db", {.timing = Timing::kOff}, made_runs());
  CHECK(csv_of(folder / "r.db") == csv_of(made_rows(0, 32), Timing::kOff));
}

TEST_CASE("compare: shards and a merge give the database of one machine") {
  const ScratchFolder folder;
  std::vector<fs::path> parts;
  for (std::size_t number = 1; number <= 3; ++number) {
    parts.push_back(folder / (std::to_string(number) + ".db"));
    const ExperimentOutcome outcome =
        run_comparison(parts.back(), {.threads = 2, .shard = {number, 3}}, made_runs());
    // 8 groups of 4 runs dealt to three: 3, 3 and 2 groups.
    CHECK(outcome.total == (number == 3 ? 8 : 12));
  }
  (void)merge_databases(parts, folder / "all.db", IfPresent::kRefuse, "test");
  CHECK(csv_of(folder / "all.db") == csv_of(made_rows(0, 32), Timing::kOn));
}

TEST_CASE("compare: an exception stops the work, keeps what is done, and resuming completes it") {
  for (const std::size_t threads : {1U, 4U}) {
    const ScratchFolder folder;
    const fs::path file = folder / "r.db";
    const RunGroupFunction failing = made_runs([](std::size_t index) {
      if (index == 18) throw PolicyError("run 18 went wrong");
    });
    CHECK(error_text<PolicyError>([&] {
            (void)run_comparison(file, {.threads = threads}, failing);
          }) == "run 18 went wrong");
    const std::vector<std::size_t> kept = ResultsDatabase(file).finished_runs();
    // Runs 16 and 17 were recorded by the same group before 18 failed.
    CHECK(std::count(kept.begin(), kept.end(), 17) == 1);
    CHECK(std::count(kept.begin(), kept.end(), 18) == 0);
    if (threads == 1) CHECK(kept.size() == 18);

    std::mutex mutex;
    std::multiset<std::size_t> simulated;
    const RunGroupFunction counting = made_runs([&](std::size_t index) {
      const std::scoped_lock lock(mutex);
      simulated.insert(index);
    });
    const ExperimentOutcome outcome =
        run_comparison(file, {.threads = threads, .if_present = IfPresent::kResume}, counting);
    CHECK(outcome.skipped == kept.size());
    CHECK(simulated.size() == 32 - kept.size());  // nothing is simulated twice
    CHECK(csv_of(file) == csv_of(made_rows(0, 32), Timing::kOn));
  }
}

TEST_CASE("compare: an interruption keeps what is done and says so") {
  const ScratchFolder folder;
  const fs::path file = folder / "r.db";
  StopFlag interrupted;
  const StopScope scope{StopToken(interrupted)};
  const RunGroupFunction runner = made_runs([&](std::size_t index) {
    if (index == 9) interrupted.asked = true;
  });
  const ExperimentOutcome outcome = run_comparison(file, {}, runner);
  CHECK(outcome.interrupted);
  CHECK(outcome.done == 10);  // run 9 was recorded before the group was stopped
  CHECK(ResultsDatabase(file).finished_runs().size() == 10);
  interrupted.asked = false;
  const ExperimentOutcome resumed =
      run_comparison(file, {.if_present = IfPresent::kResume}, made_runs());
  CHECK_FALSE(resumed.interrupted);
  CHECK(resumed.skipped == 10);
  CHECK(csv_of(file) == csv_of(made_rows(0, 32), Timing::kOn));
}

TEST_CASE("compare: SIGKILL in the middle, then a resume, give the same rows") {
  const ScratchFolder folder;
  const fs::path file = folder / "r.db";
  const pid_t child = fork();
  if (child == 0) {
    (void)run_comparison(file, {}, made_runs([](std::size_t index) {
                           if (index == 14) kill(getpid(), SIGKILL);
                         }));
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  CHECK(ResultsDatabase(file).finished_runs().size() == 12);  // groups 0, 1 and 2
  (void)run_comparison(file, {.threads = 2, .if_present = IfPresent::kResume}, made_runs());
  CHECK(csv_of(file) == csv_of(made_rows(0, 32), Timing::kOn));
}

TEST_CASE("compare: a runner that does not do its work is found out") {
  const ScratchFolder folder;
  using Pending = std::span<const std::size_t>;
  const auto lazy = [](const RunGroup&, Pending, const RecordRun&) {};
  const auto twice = [](const RunGroup&, Pending pending, const RecordRun& record) {
    for (int i = 0; i < 2; ++i) record(pending[0], made_measures(pending[0]));
  };
  const auto foreign = [](const RunGroup& group, Pending, const RecordRun& record) {
    record(group.first_run + group.run_count, Measures{});
  };
  CHECK_THROWS_AS((void)run_comparison(folder / "1.db", {}, lazy), std::logic_error);
  CHECK_THROWS_AS((void)run_comparison(folder / "2.db", {}, twice), std::logic_error);
  CHECK_THROWS_AS((void)run_comparison(folder / "3.db", {}, foreign), std::logic_error);
  const auto too_few = [](const RunGroup&, Pending pending, const RecordRun& record) {
    record(pending[0], Measures{});
  };
  CHECK_THROWS_AS((void)run_comparison(folder / "4.db", {}, too_few), std::logic_error);
}

TEST_CASE("compare: a database that cannot be written ends in an error") {
  CHECK_THROWS_AS((void)run_comparison("/proc/r.db", {}, made_runs()), DatabaseError);
}

}  // namespace
}  // namespace cospot
