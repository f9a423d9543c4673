#include <doctest/doctest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/studies/compare/compare_study.hpp"
#include "sweep_fixtures.hpp"
#include "tests/cpp/source_folder.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

/// As small_sweep: 32 runs.
const std::string kSweep =
    "workloads: [a.csv, {synthetic: azure2020, seed: 7, label: b}]\n"
    "host: {vcpus: 64, memory_mb: 1024}\nheadroom_percent: [0, 2.5]\n"
    "vm: COS\nspot: [sCOS, sDPD]\nevictor: FIFO\nsaf: [false, true]\notn: [1, 4]\n";

/// A command line in a folder of its own, with made_runner behind it.
class Program {
 public:
  Program() {
    (void)folder_.write("a.csv", "x");
    (void)folder_.write("s.yaml", kSweep);
  }

  /// Runs `cospot ...`; "@" at the start of a word stands for the folder. Gives the exit code.
  int run(std::vector<std::string> words) {
    int exit_code = 0;
    interrupted_.asked = false;
    const StopScope scope{StopToken(interrupted_)};
    CLI::App app;
    NoPythonPolicies policies;
    const StudyRegistry studies({made_study()});
    add_compare_commands(app, {&studies, &policies, &exit_code});
    std::vector<std::string> reversed;
    for (auto word = words.rbegin(); word != words.rend(); ++word) {
      reversed.push_back(word->starts_with('@') ? (folder_ / word->substr(1)).string() : *word);
    }
    app.parse(reversed);
    return exit_code;
  }

  [[nodiscard]] std::string read(std::string_view name) const {
    return ScratchFolder::read(folder_ / name);
  }
  [[nodiscard]] fs::path path(std::string_view name) const { return folder_ / name; }
  void interrupt_at(std::size_t run_index) { interrupt_at_ = run_index; }

 private:
  /// The study `compare`, with made_runs behind it.
  Study made_study() {
    Study study = compare_study();
    study.read = [this](const StudyFile& file) -> LoadExperiment {
      const Sweep sweep = read_sweep(file);
      return [this, sweep] { return made_comparison(interrupted_runs(), sweep); };
    };
    return study;
  }

  RunGroupFunction interrupted_runs() {
    return made_runs([this](std::size_t index) { interrupted_.asked = index == interrupt_at_; });
  }

  ScratchFolder folder_;
  StopFlag interrupted_;
  std::size_t interrupt_at_ = SIZE_MAX;
};

TEST_CASE("cospot compare: the same CSV for -j 1 and -j 4, in the order of the grid") {
  Program program;
  CHECK(program.run({"compare", "@s.yaml", "-j", "1", "--db", "@1.db", "--csv", "@1.csv", "-q"}) ==
        0);
  CHECK(program.run({"compare", "@s.yaml", "-j", "4", "--db", "@4.db", "--csv", "@4.csv", "-q"}) ==
        0);
  CHECK(program.read("1.csv") == csv_of(made_rows(0, 32), Timing::kOn));
  CHECK(program.read("4.csv") == program.read("1.csv"));
}

TEST_CASE("cospot compare: interrupted, refused, resumed") {
  Program program;
  program.interrupt_at(5);
  const std::vector<std::string> command{"compare", "@s.yaml", "-j",    "1",     "-q",
                                         "--db",    "@r.db",   "--csv", "@r.csv"};
  CHECK(program.run(command) == 130);
  CHECK_FALSE(fs::exists(program.path("r.csv")));
  CHECK(ResultsDatabase(program.path("r.db")).finished_runs().size() == 6);
  program.interrupt_at(SIZE_MAX);
  CHECK(contains(error_text<DatabaseError>([&] { program.run(command); }), "--resume continues"));
  std::vector<std::string> resume = command;
  resume.emplace_back("--resume");
  CHECK(program.run(resume) == 0);
  CHECK(program.read("r.csv") == csv_of(made_rows(0, 32), Timing::kOn));
  std::vector<std::string> force = command;
  force.insert(force.end(), {"--force", "--timing", "off", "--set", "otn=[1]"});
  CHECK(program.run(force) == 0);
  CHECK(ResultsDatabase(program.path("r.db")).finished_runs().size() == 16);
}

TEST_CASE("cospot compare --shard, merge and summary: as from one machine") {
  Program program;
  for (const char* number : {"1", "2"}) {
    CHECK(program.run({"compare", "@s.yaml", "-q", "--db", std::string("@") + number + ".db",
                       "--shard", std::string(number) + "/2"}) == 0);
  }
  CHECK(program.run({"merge", "@all.db", "@1.db", "@2.db"}) == 0);
  CHECK(program.run({"summary", "@all.db", "--csv", "@all.csv", "--timing", "off"}) == 0);
  CHECK(program.read("all.csv") == csv_of(made_rows(0, 32), Timing::kOff));
}

TEST_CASE("cospot compare: bad input and usage") {
  Program program;
  const auto input_error = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"compare", "@s.yaml", "-q", "--db", "@r.db"});
    return error_text<InputError>([&] { program.run(words); });
  };
  CHECK(contains(input_error({"--set", "otn=0"}), "--set otn=0: otn: found '0'"));
  CHECK(contains(input_error({"--shard", "3/2"}), "--shard 3/2: expected I/N"));
  CHECK(contains(input_error({"--csv", "@no/out.csv"}), "there is no folder"));
  CHECK(contains(input_error({"--csv", "@r.db"}), "is the results database"));
  CHECK_FALSE(fs::exists(program.path("r.db")));
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"compare"},
                                             {"compare", "@s.yaml", "--resume", "--force"},
                                             {"compare", "@s.yaml", "-j", "0"},
                                             {"compare", "@s.yaml", "-j", "x"},
                                             {"compare", "@s.yaml", "--timing", "maybe"},
                                             {"compare", "@s.yaml", "--unknown"},
                                             {"merge", "@all.db"}}) {
    CHECK_THROWS_AS(program.run(words), CLI::ParseError);
  }
}

TEST_CASE("cospot compare: the example sweeps are valid") {
  const fs::path data = source_folder() / "examples";
  const Sweep small = read_sweep(data / "small_grid.yaml", {});
  CHECK(grid_of_sweep(small).run_count() == 10 * 2 * 3 * 2 * 2 * 2 * 3);
  const char* released = std::getenv("COSPOT_DATA");
  if (released == nullptr) {
    MESSAGE("COSPOT_DATA is not set: the examples with real workloads are not read");
    return;
  }
  const auto count = [&](const char* sampling) {
    const fs::path folder = fs::path(released) / "azure2020-cospot" / sampling;
    return std::ranges::count_if(fs::directory_iterator(folder),
                                 [](const fs::path& file) { return file.extension() == ".gz"; });
  };
  const auto batched = static_cast<std::size_t>(count("batched"));
  const std::size_t all = batched + static_cast<std::size_t>(count("bernoulli"));
  CHECK(grid_of_sweep(read_sweep(data / "full_grid.yaml", {})).run_count() ==
        all * 5 * 3 * 6 * 2 * 2 * 6);
  CHECK(grid_of_sweep(read_sweep(data / "figure5.yaml", {})).run_count() == batched * 2 * 2 * 6);
}

}  // namespace
}  // namespace cospot
