// What the summary of the study `deadline` tells a customer to use.

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/studies/deadline/deadline_comparison.hpp"
#include "sim_harness/studies/deadline/deadline_text.hpp"
#include "sim_harness/studies/deadline/trace_spec.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {
namespace {

StudyFile file_of(const std::string& text, const ScratchFolder& folder) {
  StudyFile file;
  file.root = parse_yaml("study: deadline\n" + text, "test");
  file.folder = folder.path();
  return file;
}

Experiment experiment_of(const std::string& text, const ScratchFolder& folder) {
  return built_in_studies().find("deadline")->read(file_of(text, folder))();
}

std::string deadline_summary_of(const std::string& text, const ScratchFolder& folder = {}) {
  NoProgress progress;
  ResultsDatabase results = run_in_memory(experiment_of(text, folder), 1, progress);
  return deadline_summary(results, Timing::kOff).text.plain();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("savings: sample by sample, as a share of what the dearer costs") {
  // Differences 2, 4, 6 of a mean of 20: mean 4 / 20; sd 2 and t(0.975; 2) = 4.30265 give
  // 4.30265 x 2 / sqrt(3) / 20 = 0.24841.
  const StrategyFigures cheap{.name = "a",
                              .cost_of_sample = {{{"t", 0}, 8}, {{"t", 1}, 16}, {{"t", 2}, 24}}};
  const StrategyFigures dear{.name = "b",
                             .cost_of_sample = {{{"t", 0}, 10}, {{"t", 1}, 20}, {{"t", 2}, 30}}};
  const MeanInterval saving = saving_of(cheap, dear);
  CHECK(saving.mean == doctest::Approx(0.2));
  CHECK(*saving.half_width == doctest::Approx(0.24841).epsilon(1e-4));
  CHECK_FALSE(is_saving(saving));
  CHECK(is_saving({.mean = 0.2, .half_width = {}}));
  CHECK(is_saving({.mean = 0.2, .half_width = 0.1}));
  CHECK_FALSE(is_saving({.mean = -0.2, .half_width = 0.1}));
}

TEST_CASE("samples that overlap count once") {
  // Of 70 h each: a from 0, 70 on; those at 10 and 75 overlap the one before. Of 10 h: all but 75.
  const std::map<Sample, double> samples{
      {{"a", 0}, 1}, {{"a", 10}, 1}, {{"a", 70}, 1}, {{"a", 75}, 1}, {{"b", 5}, 1}};
  CHECK(independent_samples(samples, 70) == 3);
  CHECK(independent_samples(samples, 10) == 4);
  CHECK(independent_samples(samples, 5) == 5);
  // Standard deviation 2, t(0.975; 1) = 12.7062: 12.7062 x 2 / sqrt(2) = 17.969.
  const std::vector<double> values{2, 4, 6};
  CHECK(*mean_interval(values, 2).half_width == doctest::Approx(17.969).epsilon(1e-4));
  CHECK_FALSE(mean_interval(values, 1).half_width.has_value());
  const std::string study = "trace: {synthetic: bursty, seed: 1}\ndeadline_hours: 70\n";
  CHECK(has(deadline_summary_of(study + "start_hours: [0, 10, 100]\n"),
            "the intervals count only the 2 of 3 that do not\n"));
  CHECK_FALSE(has(deadline_summary_of(study + "start_hours: [0, 70, 140]\n"), "overlap"));
  // Windows of one trace overlap in the same way: at 0, 24, 48, 72 and 96 h.
  CHECK(has(deadline_summary_of(
                "trace: {synthetic: bursty, seed: 1, days: 7, windows: {hours: 70, every_hours: "
                "24}}\ndeadline_hours: 70\n"),
            "the intervals count only the 2 of 5 that do not\n"));
}

TEST_CASE("what to run now: the first choice at the end of the trace") {
  const ScratchFolder folder;
  (void)folder.write("up.csv", "time,available,price\n0,0,\n3600,1,0.3\n360000,0,\n");
  (void)folder.write("down.csv", "time,available,price\n0,1,0.3\n356400,0,\n360000,0,\n");
  const auto now_of = [&folder](const std::string& trace, const std::string& more) {
    const std::string text = deadline_summary_of(
        "trace: " + trace + "\nstrategy: greedy\non_demand_price: 1\n" + more, folder);
    const std::size_t at = text.find("Now, at the end of the trace: ");
    return at == std::string::npos ? "" : text.substr(at + 30, text.find('.', at) - at - 30);
  };
  CHECK(now_of("up.csv", "") == "start a spot instance");
  CHECK(now_of("down.csv", "") == "wait for a spot instance");
  // 48 h and 12 minutes of overhead are 579 ticks of 5 minutes: with 48.25 h there is no other.
  CHECK(now_of("down.csv", "deadline_hours: 48.25\n") == "start an on-demand instance");
  CHECK(now_of("down.csv", "deadline_hours: [48.25, 70]\n") ==
        "start an on-demand instance (48 h of work due in 48");
  CHECK(now_of("[up.csv, down.csv]", "").empty());
}

TEST_CASE("instance types of one file: each with its prices and its speed") {
  const ScratchFolder folder;
  (void)folder.write("t.csv",
                     "time,available,price,type\n0,1,0.3,slow\n0,1,0.4,fast\n360000,0,,slow\n"
                     "360000,0,,fast\n");
  const std::string types =
      "types: {slow: {on_demand: 1}, fast: {on_demand: 1.5, speed: 2}}\ndeadline_hours: 70\n";
  // In ticks of five minutes: 48 h of work and 0.2 h of overhead on slow are 48.25 h at 0.3 =
  // 14.475 USD; on fast 24 h and 0.2 h are 24.25 h at 0.4 = 9.70 USD, on-demand at 1.5 36.375 USD.
  const std::string text =
      deadline_summary_of("trace: t.csv\nstrategy: [on_demand, greedy]\n" + types, folder);
  CHECK(has(text,
            "Recommendation: greedy on fast, 9.70 USD a job, 73.3% less than on_demand on "
            "fast"));  // 1 - 9.7 / 36.375
  CHECK(has(text, "start a spot fast instance"));
  CHECK(has(text, "slow  greedy"));
  const std::string one = deadline_summary_of(
      "trace: {file: t.csv, type: slow}\nstrategy: [on_demand, greedy]\n" + types, folder);
  CHECK(has(one, "Recommendation: greedy on slow, 14.47 USD a job"));
  CHECK_FALSE(has(one, "fast"));
  CHECK_THROWS_WITH_AS((void)experiment_of("trace: {file: t.csv, type: huge}\n" + types, folder),
                       (folder.path() / "t.csv")
                           .string()
                           .append(": has no row of type 'huge', expected one of: slow, fast")
                           .c_str(),
                       InputError);
  CHECK_THROWS_WITH_AS((void)experiment_of("trace: t.csv\ntypes: {slow: {on_demand: 1}}\n", folder),
                       "trace t.csv:fast: has the type 'fast', expected one of the key types: slow",
                       ConfigError);
  CHECK_THROWS_AS((void)experiment_of("trace: t.csv\non_demand_price: 1\n" + types, folder),
                  ConfigError);
}

TEST_CASE("a late strategy is no saving, and is not recommended") {
  // Two scarce traces on which spots alone are late in every run, at a seventh of the money.
  const std::string text = deadline_summary_of(
      "trace: [{synthetic: scarce, seed: 1, days: 24}, {synthetic: scarce, seed: 2, days: 24}]\n"
      "start_hours: 336\n");
  CHECK(
      has(text,
          "Caution: spot_only misses the deadline in 4 of 4 runs: its lower cost is not a saving"));
  CHECK_FALSE(has(text, "Recommendation: spot_only"));
  CHECK_FALSE(has(text, "Recommendation: optimal"));
  const std::string line = text.substr(text.find("\nspot_only") + 1);
  CHECK(has(line.substr(0, line.find('\n')), "late                      late"));
  CHECK_FALSE(has(line.substr(0, line.find('\n')), "%"));
}

TEST_CASE("spots that cost more than on-demand: on-demand, and a warning") {
  const std::string study =
      "trace: [{synthetic: bursty, seed: 1, days: 24}, {synthetic: bursty, seed: 2, days: 24}]\n"
      "spot_price: 4\n";
  const std::string text = deadline_summary_of(study);
  CHECK(has(text, "Recommendation: on_demand, 147.65 USD a job; no strategy saves significantly"));
  CHECK(has(text, "Caution: spots cost more than on-demand (4 against 3.06 USD/h)"));
  REQUIRE(experiment_of(study, {}).warnings.size() == 1);
  CHECK(has(experiment_of(study, {}).warnings[0], "spots cost more than on-demand"));
  CHECK(experiment_of("trace: {synthetic: bursty}\n", {}).warnings.empty());
}

TEST_CASE("one start in one trace: what it saves, without an interval") {
  const std::string text =
      deadline_summary_of("trace: {synthetic: bursty, seed: 1}\nstrategy: [on_demand, quoted]\n");
  CHECK(has(text, "Recommendation: quoted, "));
  CHECK(has(text, "One start in one trace has no interval"));
  CHECK(has(
      deadline_summary_of("trace: {synthetic: bursty, seed: 1}\nstrategy: [spot_only, optimal]\n"
                          "deadline_hours: 49\nstart_hours: 60\n"),
      "Recommendation: none"));
}

TEST_CASE("windows of a trace: from the first whole tick of a part, all of them in it") {
  // 21 ticks of an hour; the half from 10.5 on begins with tick 11. Windows of 3 h, one every 4:
  // 11, 15 (ends at 18); the next would end at 22. Those of the first half end by 10: 0, 4.
  const AvailabilityTrace trace{.tick = std::chrono::hours(1),
                                .capacity = std::vector<std::uint32_t>(21, 1)};
  using Starts = std::vector<std::size_t>;
  CHECK(window_starts(trace, {.from = 0.5, .to = 1, .hours = 3, .every_hours = 4}) ==
        Starts{11, 15});
  CHECK(window_starts(trace, {.from = 0, .to = 0.5, .hours = 3, .every_hours = 4}) == Starts{0, 4});
  CHECK(window_starts(trace, {.from = 0.5, .to = 1, .hours = 11, .every_hours = 4}).empty());
}

TEST_CASE("windows of a trace are samples; a job on several instances needs them at once") {
  const ScratchFolder folder;
  // An hour a tick: 2 instances for 4 h, 1 for 4 h, 4 for 4 h.
  (void)folder.write("t.json", R"({"metadata": {"gap_seconds": 3600},
      "data": [2, 2, 2, 2, 1, 1, 1, 1, 4, 4, 4, 4]})");
  const std::string job =
      "strategy: spot_only\nduration_hours: 3\ndeadline_hours: 4\noverhead_hours: 0\n"
      "spot_price: 1\n";
  const std::string windows = "windows: {hours: 4, every_hours: 4}";
  const std::string one =
      deadline_summary_of("trace: {file: t.json, " + windows + "}\n" + job, folder);
  CHECK_FALSE(has(one, "Caution"));  // there is one at all times
  const std::string two =
      deadline_summary_of("trace: {file: t.json, instances: 2, " + windows + "}\n" + job, folder);
  CHECK(has(two, "Caution: spot_only misses the deadline in 1 of 3 runs"));
  CHECK(experiment_of("trace: {file: t.json, " + windows + "}\n" + job, folder).inputs.size() == 1);
  CHECK_THROWS_AS(
      (void)experiment_of("trace: {file: t.json, window: 3, " + windows + "}\n" + job, folder),
      ConfigError);
  CHECK_THROWS_AS((void)experiment_of("trace: {file: t.json, windows: {part: [0, 0.5], hours: 7, "
                                      "every_hours: 7}}\n" +
                                          job,
                                      folder),
                  ConfigError);
}

TEST_CASE("the price of a customer's own trace") {
  const ScratchFolder folder;
  const auto trace = [&folder](const char* name, const char* price) {
    (void)folder.write(name, std::string("time,available,price\n0,1,") + price + "\n360000,0,\n");
  };
  trace("a.csv", "0.3");
  trace("b.csv", "0.4");
  // 48 h of work and 0.2 h of overhead in ticks of five minutes: 48.25 h at 0.3 = 14.475 USD.
  CHECK(has(deadline_summary_of("trace: a.csv\nstrategy: greedy\n", folder),
            "Recommendation: greedy, 14.47 USD"));
  CHECK(has(deadline_summary_of("trace: a.csv\nstrategy: greedy\nspot_price: 0.5\n", folder),
            "Recommendation: greedy, 24.12 USD"));
  // Each its own: (14.475 + 48.25 x 0.4) / 2 = 16.8875.
  CHECK(has(deadline_summary_of("trace: [a.csv, b.csv]\nstrategy: greedy\n", folder),
            "Recommendation: greedy, 16.89 USD"));
  // 24 h at 0.3 and 24.25 h at 0.52, unless the study says what a spot costs: 48.25 x 0.4.
  (void)folder.write("d.csv", "time,available,price\n0,1,0.3\n86400,1,0.52\n360000,0,\n");
  CHECK(has(deadline_summary_of("trace: d.csv\nstrategy: greedy\n", folder),
            "Recommendation: greedy, 19.81 USD"));
  CHECK(has(deadline_summary_of("trace: d.csv\nstrategy: greedy\nspot_price: 0.4\n", folder),
            "Recommendation: greedy, 19.30 USD"));
  // Less time beyond the work than two overheads of 12 minutes.
  const std::string tight = deadline_summary_of(
      "trace: d.csv\nstrategy: [on_demand, greedy]\ndeadline_hours: [48.3, 70]\n", folder);
  CHECK(
      has(tight, "Safety net: in 1 of 2 runs of greedy it moved the job to on-demand before any"));
  (void)folder.write("c.csv", "time,available\n0,1\n360000,0\n");
  CHECK_THROWS_WITH_AS((void)experiment_of("trace: [a.csv, c.csv]\n", folder),
                       "trace: a.csv states a spot price of 0.3 and c.csv of none, expected one of "
                       "each, or the key spot_price",
                       ConfigError);
}

}  // namespace
}  // namespace cospot
