// The seam between the harness and its studies: a study of two axes and one measure, all of it in
// this file, gets everything that `cospot compare` has.
#include <doctest/doctest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/commands/command_line.hpp"
#include "sim_harness/experiments/grid/axis.hpp"
#include "sim_harness/experiments/results/measure.hpp"
#include "sweep_fixtures.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

// The study `toy`: the area of rectangles.

struct Area {
  std::uint64_t area = 0;
};

const std::vector<Measure<Area>>& measures() {
  static const std::vector<Measure<Area>> all{
      measure<&Area::area>({.name = "area", .unit = "m2", .meaning = "of the rectangle"})};
  return all;
}

struct Rectangles {
  std::vector<std::int64_t> widths{}, heights{};
};

std::int64_t read_side(const ConfigNode& item, std::string_view key) {
  return read_integer(item, key, 1, 1000);
}

const Axis<Rectangles, std::int64_t> kWidth{.name = "width",
                                            .unit = "m",
                                            .meaning = "of it",
                                            .values = &Rectangles::widths,
                                            .read = read_side};
const Axis<Rectangles, std::int64_t> kHeight{.name = "height",
                                             .unit = "m",
                                             .meaning = "of it",
                                             .values = &Rectangles::heights,
                                             .read = read_side};

const SettingTable<Rectangles>& table() {
  static const SettingTable<Rectangles> made("study", {kWidth, kHeight});
  return made;
}

const Schema& toy_schema() {
  static const Schema schema{
      .study = "toy", .axes = table().columns(), .measures = columns_of(std::span(measures()))};
  return schema;
}

Experiment load_rectangles(const Rectangles& sides, bool third_fails) {
  Experiment experiment{.schema = toy_schema(),
                        .axes = table().axes(sides),
                        .group_by = axis_names(kWidth),
                        .configuration = table().json(sides).dump()};
  experiment.run_group = [sides, grid = experiment.grid(), third_fails](
                             const RunGroup&, std::span<const std::size_t> pending,
                             const RecordRun& record) {
    for (const std::size_t run : pending) {
      if (third_fails && run == 2) throw PolicyError("the third run fails");
      const auto at = table().at(sides, grid.coordinates(run));
      const Area area{static_cast<std::uint64_t>(at.get(kWidth) * at.get(kHeight))};
      record(run, values_of(std::span(measures()), area));
    }
  };
  return experiment;
}

Study toy_study(bool third_fails = false) {
  return {.name = "toy",
          .summary = "the area of rectangles",
          .schema = toy_schema,
          .read = [third_fails](const StudyFile& file) -> LoadExperiment {
            return [rectangles = table().read(file), third_fails] {
              return load_rectangles(rectangles, third_fails);
            };
          }};
}

// What it gets.

/// The program, with the toy among its studies, in a folder of its own.
class ToyProgram {
 public:
  ToyProgram() {
    (void)folder_.write("toy.yaml", "study: toy\nwidth: [2, 3]\nheight: [5, 7, 11]\n");
  }

  int run(const std::vector<std::string>& words, Study study = toy_study()) {
    std::vector<std::string> texts{"cospot"};
    for (const std::string& word : words) {
      texts.push_back(word.starts_with('@') ? path(word.substr(1)).string() : word);
    }
    std::vector<const char*> pointers;
    for (const std::string& text : texts) pointers.push_back(text.c_str());
    std::vector<Study> studies(built_in_studies().all().begin(), built_in_studies().all().end());
    studies.push_back(std::move(study));
    NoPythonPolicies policies;
    return run_command_line(static_cast<int>(pointers.size()), pointers.data(), policies,
                            StudyRegistry(std::move(studies)));
  }

  [[nodiscard]] fs::path path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] std::string read(const std::string& name) const {
    return ScratchFolder::read(folder_ / name);
  }

 private:
  ScratchFolder folder_;
};

/// 2 x 5, 2 x 7, 2 x 11, 3 x 5, 3 x 7, 3 x 11.
const std::string kCsv = "width,height,area\n2,5,10\n2,7,14\n2,11,22\n3,5,15\n3,7,21\n3,11,33\n";

TEST_CASE("a toy study: compare, --set, threads and the CSV in grid order") {
  ToyProgram program;
  for (const char* threads : {"1", "2"}) {
    CHECK(program.run({"compare", "@toy.yaml", "-q", "-j", threads, "--db", "@r.db", "--csv",
                       "@r.csv", "--force"}) == 0);
    CHECK(program.read("r.csv") == kCsv);
  }
  CHECK(program.run({"compare", "@toy.yaml", "-q", "--set", "height=1", "--db", "@s.db", "--csv",
                     "@s.csv"}) == 0);
  CHECK(program.read("s.csv") == "width,height,area\n2,1,2\n3,1,3\n");
}

TEST_CASE("a toy study: what failed is resumed, and another study's database refused") {
  ToyProgram program;
  const std::vector<std::string> command{"compare", "@toy.yaml", "-q", "-j", "1", "--db", "@r.db"};
  CHECK(program.run(command, toy_study(true)) == 2);
  CHECK(ResultsDatabase(program.path("r.db")).finished_runs() == std::vector<std::size_t>{0, 1});
  CHECK(program.run(command) == 2);  // it exists
  std::vector<std::string> resume = command;
  resume.insert(resume.end(), {"--resume", "--csv", "@r.csv"});
  CHECK(program.run(resume) == 0);
  CHECK(program.read("r.csv") == kCsv);
  resume.insert(resume.end(), {"--set", "height=[5, 7]"});
  CHECK(program.run(resume) == 2);
  const std::string error = error_text<DatabaseError>([&] {
    const ResultsDatabase database(program.path("r.db"), small_sweep_tables(), {},
                                   IfPresent::kResume);
  });
  CHECK(contains(error, "r.db: holds the study 'toy', not 'compare'"));
}

TEST_CASE("a toy study: shards, merge, summary and report") {
  ToyProgram program;
  for (const char* shard : {"1/2", "2/2"}) {
    CHECK(program.run({"compare", "@toy.yaml", "-q", "--shard", shard, "--db",
                       std::string("@") + shard[0] + ".db"}) == 0);
  }
  // One group for each width.
  CHECK(ResultsDatabase(program.path("2.db")).finished_runs() == std::vector<std::size_t>{3, 4, 5});
  CHECK(program.run({"merge", "@all.db", "@2.db", "@1.db"}) == 0);
  CHECK(program.run({"summary", "@all.db", "--csv", "@all.csv"}) == 0);
  CHECK(program.read("all.csv") == kCsv);
  ResultsDatabase results(program.path("all.db"));
  // (10 + 14 + 22 + 15 + 21 + 33) / 6 = 115 / 6 = 19.1667
  CHECK(summary_text(built_in_studies(), results, Timing::kOn).plain() ==
        "study toy: 6 runs\nmeasure     mean  min  max  unit\narea     19.1667   10   33  m2\n");
  CHECK(contains(summary_json(built_in_studies(), results, Timing::kOn),
                 R"("measures":{"area":{"unit":"m2","runs":6,"mean":19.1)"));
  CHECK(program.run({"report", "@all.db", "-o", "@all.html"}) == 0);
  const std::string report = program.read("all.html");
  CHECK(contains(report, "\"study\":\"toy\""));
  CHECK(contains(report, "of the rectangle"));
}

TEST_CASE("a toy study: bad files are refused with what is valid") {
  ToyProgram program;
  for (const char* assignment : {"width=0", "depth=1", "study=toys"}) {
    CHECK(program.run({"compare", "@toy.yaml", "--db", "@r.db", "--set", assignment}) == 2);
  }
  CHECK_FALSE(fs::exists(program.path("r.db")));
  CHECK(contains(error_text<ConfigError>([] {
                   (void)built_in_studies().chosen_by(parse_yaml("study: toys", "s.yaml"));
                 }),
                 "s.yaml:1: study: unknown study 'toys'; valid names: compare, degradation"));
}

}  // namespace
}  // namespace cospot
