#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "engine_checks.hpp"
#include "error_text.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/advise/tuning.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/policies/policy_list.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sim_harness/provider/sizing/datacenter_size.hpp"
#include "sim_harness/studies/compare/compare_schema.hpp"
#include "sweep_fixtures.hpp"
#include "tests/cpp/random_workload.hpp"

namespace cospot {
namespace {

constexpr ResourceVector kHost{10400, 2250, 0};

TuneSettings settings_of(const std::vector<const char*>& vm, const std::vector<const char*>& spot,
                         const std::vector<const char*>& evictors,
                         const std::vector<const char*>& otn) {
  NoPythonPolicies loader;
  TuneSettings settings;
  for (const char* name : vm) settings.vm.push_back(load_chain(name, loader));
  for (const char* name : spot) settings.spot.push_back(load_chain(name, loader));
  for (const char* name : evictors) {
    EvictorSpec spec{.label = name, .name = name};
    make_shared_evictor(spec, {});
    settings.evictors.push_back(spec);
  }
  for (const char* label : otn) settings.otn.push_back(OfferRule::parse(label));
  return settings;
}

std::vector<WorkloadSpec> recipes(std::size_t count, const char* scale) {
  std::vector<WorkloadSpec> specs;
  for (std::size_t i = 0; i < count; ++i) {
    specs.push_back(
        parse_workload_spec("azure2020:seed=" + std::to_string(i + 1) + ":scale=" + scale));
  }
  return specs;
}

std::vector<TuneSample> samples_of(const std::vector<WorkloadSpec>& specs,
                                   const TuneSettings& settings, double headroom_percent) {
  return make_samples(specs, {.host = kHost, .size = {.percent = headroom_percent}}, settings, 2)
      .samples;
}

/// Half of the samples judge.
TuneOutcome tune_by_halves(const std::vector<TuneSample>& samples, TuneRuns& runs) {
  return tune(draw_halves(samples.size(), 1), runs);
}

/// One search for each use of the samples.
std::vector<TuneOutcome> cross_validate(const std::vector<SampleUse>& uses, TuneRuns& runs) {
  std::vector<TuneOutcome> outcomes;
  for (const SampleUse& use : uses) outcomes.push_back(tune(use, runs));
  return outcomes;
}

std::string text_of(const TuneSettings& settings, std::span<const TuneSample> samples,
                    const TuneRuns& runs, const TuneOutcome& outcome,
                    std::span<const TuneOutcome> folds = {},
                    const std::optional<WholeWorkload>& whole = {}) {
  const TuneRequest request{.workloads = {}, .datacenter = {kHost, {}}, .settings = settings};
  TuneFindings findings{request, samples, runs, outcome, folds, whole};
  findings.verdict = judge(runs, outcome, findings.judged());
  return tune_text(findings);
}

std::vector<std::size_t> all_of(std::size_t count) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

bool keeps_limit(const TuneRuns& runs, std::size_t candidate,
                 const std::vector<std::size_t>& samples, double limit) {
  return std::ranges::all_of(
      samples, [&](std::size_t sample) { return runs.point(candidate, sample).vm_loss <= limit; });
}

/// The most spot revenue that a candidate earns on the samples without losing more than the limit.
double best_share(const TuneRuns& runs, const std::vector<std::size_t>& samples, double limit) {
  double best = -1;
  for (std::size_t candidate = 0; candidate < runs.space().size(); ++candidate) {
    if (!keeps_limit(runs, candidate, samples, limit)) continue;
    best = std::max(best, runs.mean(candidate, samples).spot_share);
  }
  return best;
}

TEST_CASE("lengthening_windows: equal parts from the beginning; the last is the whole") {
  const Workload workload = random_workload({.seed = 5, .requests = 400});
  const std::vector<Workload> windows = lengthening_windows(workload, 3);
  REQUIRE(windows.size() == 3);
  for (std::int64_t part = 1; part <= 3; ++part) {
    const Workload& window = windows[static_cast<std::size_t>(part - 1)];
    CHECK(window.window == (part == 3 ? workload.window : workload.window / 3 * part));
    CHECK(window.rows.empty());
  }
  CHECK(windows[2].sha256 == workload.sha256);
  CHECK(windows[0].sha256 != windows[1].sha256);
}

/// The rows that start before the end of a window, in that window.
Workload windowed(const Workload& workload, SimTime window) {
  Workload made = workload;
  made.window = window;
  std::erase_if(made.rows, [&](const WorkloadRow& row) { return row.start >= window; });
  return made;
}

/// A sample of one host of 1 vcpu and 1 MiB that goes on from the one before, or not.
TuneSample tiny_sample(const Workload& workload, bool goes_on, double vm_worth) {
  TuneSample sample{.spec = {}, .workload = workload, .hosts = 1};
  sample.spec.label = workload.name;
  sample.schedule = make_schedule(sample.workload, ScheduledClasses::kVmsAndSpots);
  sample.evictors = {EvictorSpec{.label = "FIFO", .name = "FIFO"}};
  sample.goes_on = goes_on;
  sample.vm_worth = vm_worth;
  return sample;
}

TEST_CASE("TuneRuns: a part of a window is what is earned up to its end less what was before") {
  const auto row = [](const char* id, InstanceClass is, ResourceAmount vcpus, double from,
                      double to) {
    const auto days = [](double count) {
      return SimTime(static_cast<std::int64_t>(count * 86400e6));
    };
    return WorkloadRow{.id = id,
                       .tenant = "t",
                       .resources = {vcpus, 1, 0},
                       .instance_class = is,
                       .start = days(from),
                       .end = days(to)};
  };
  Workload workload{.name = "w", .sha256 = "0", .window = 4 * kDay, .window_is_stated = true};
  // The VM v evicts s at day 1; w, of 2 vcpus, fits no host; r runs beside nothing.
  workload.rows = {row("s", InstanceClass::kSpot, 1, 0, 3), row("v", InstanceClass::kVm, 1, 1, 1.5),
                   row("w", InstanceClass::kVm, 2, 2.5, 3.5),
                   row("r", InstanceClass::kSpot, 1, 3, 4)};
  std::vector<TuneSample> samples{tiny_sample(windowed(workload, 2 * kDay), false, 3),
                                  tiny_sample(workload, true, 3)};
  SUBCASE("each from the beginning") {}
  SUBCASE("one after the other") {
    samples.front().workload.rows.clear();
    samples.front().schedule = {};
    for (const SimTime window : {2 * kDay, 4 * kDay}) {
      samples.back().schedule.cuts.push_back(cut_at(samples.back().schedule, window));
    }
  }
  const TuneSettings settings = settings_of({"UTIL"}, {"sDPD"}, {"FIFO"}, {"1"});
  TuneRuns runs(settings, samples, ResourceVector{1, 1, 0});
  const std::vector<std::size_t> first{0};
  const std::vector<std::size_t> second{1};
  CHECK_FALSE(runs.knows(0, 1));
  runs.simulate(first, second);  // and the one before, from which it goes on
  CHECK(runs.knows(0, 0));
  CHECK(runs.knows(0, 1));
  // Days 0 to 2: s earns 1 of its 2 days; v is whole. Days 2 to 4: s is gone, which costs its last
  // day; r earns 1 of 2 requested days; w loses all of its 2 vcpu-days.
  CHECK(runs.point(0, 0).spot_share == doctest::Approx(0.5));
  CHECK(runs.point(0, 0).vm_loss == 0);
  CHECK(runs.net(0, 0) == doctest::Approx(0.5));
  CHECK(runs.point(0, 1).spot_share == doctest::Approx(0.5));
  CHECK(runs.point(0, 1).vm_loss == doctest::Approx(1));
  // (1 - 3 x 2) / 2: a lost day of a VM is worth three of a spot.
  CHECK(runs.net(0, 1) == doctest::Approx(-2.5));
  CHECK(runs.mean_net(0, all_of(2)) == doctest::Approx(-1));
}

/// The other samples choose, in order.
void check_split(const SampleUse& use, std::size_t count) {
  CHECK(std::ranges::is_sorted(use.selection));
  CHECK(std::ranges::is_sorted(use.held_out));
  std::set<std::size_t> all(use.selection.begin(), use.selection.end());
  all.insert(use.held_out.begin(), use.held_out.end());
  CHECK(all.size() == count);
  CHECK(use.selection.size() + use.held_out.size() == count);
}

TEST_CASE("draw_folds: sizes differ by one at most, by the seed") {
  std::set<std::vector<std::size_t>> drawn;
  for (std::size_t seed = 1; seed <= 20; ++seed) {
    const std::vector<SampleUse> uses = draw_folds(7, 3, seed);
    std::vector<std::size_t> sizes;
    for (std::size_t fold = 0; fold < uses.size(); ++fold) {
      CHECK(uses[fold].held_out == draw_folds(7, 3, seed)[fold].held_out);
      check_split(uses[fold], 7);
      sizes.push_back(uses[fold].held_out.size());
    }
    drawn.insert(uses.front().held_out);
    std::ranges::sort(sizes);
    CHECK(sizes == std::vector<std::size_t>{2, 2, 3});  // 7 = 2 + 2 + 3
  }
  CHECK(drawn.size() > 1);
  CHECK_THROWS_AS((void)draw_folds(3, 4, 1), ConfigError);
  CHECK_THROWS_AS((void)draw_folds(3, 1, 1), ConfigError);
}

TEST_CASE("forward_in_time: each part judges what all parts before it choose") {
  // About two sevenths of the parts come before the first that judges: 2 of 5 (1.4), 2 of 7, 3 of
  // 10 (2.9), 8 of 28.
  for (const auto& [parts, past] : {std::pair{3, 2}, {5, 2}, {7, 2}, {10, 3}, {14, 4}, {28, 8}}) {
    const std::vector<SampleUse> uses = forward_in_time(static_cast<std::size_t>(parts));
    REQUIRE(uses.size() == static_cast<std::size_t>(parts - past));
    for (std::size_t i = 0; i < uses.size(); ++i) {
      const std::size_t part = static_cast<std::size_t>(past) + i;
      CHECK(uses[i].held_out == std::vector{part});
      check_split(uses[i], part + 1);
    }
  }
}

TEST_CASE("cross_validate: every sample is held out once, by a search that knows the others") {
  TuneSettings settings = settings_of({"UTIL", "COS"}, {"sUTIL", "sDPD"}, {"FIFO"}, {"1", "8"});
  settings.max_vm_loss = 1;
  const std::vector<TuneSample> samples = samples_of(recipes(5, "0.0003"), settings, 2);
  TuneRuns runs(settings, samples, kHost);
  const std::vector<TuneOutcome> folds = cross_validate(draw_folds(samples.size(), 2, 1), runs);
  REQUIRE(folds.size() == 2);
  std::multiset<std::size_t> held_out;
  for (std::size_t fold = 0; fold < folds.size(); ++fold) {
    held_out.insert(folds[fold].held_out.begin(), folds[fold].held_out.end());
    check_split({folds[fold].selection, folds[fold].held_out}, samples.size());
    // 16 settings are few enough that all run on every sample.
    CHECK(runs.mean(folds[fold].recommendation, folds[fold].selection).spot_share ==
          best_share(runs, folds[fold].selection, settings.max_vm_loss));
  }
  CHECK(held_out == std::multiset<std::size_t>{0, 1, 2, 3, 4});

  // What is expected is the mean over samples of what the searches without them earned there.
  const TuneOutcome whole = tune(use_all(samples.size()), runs);
  CHECK(whole.held_out.empty());
  double earned = 0;
  double lost = 0;
  double same_policies = 0;
  double plain = 0;
  double plain_lost = 0;
  for (const TuneOutcome& fold : folds) {
    const std::size_t baseline = *runs.space().baseline_of(fold.recommendation);
    const std::size_t best = *fold.without_cooperation;
    for (const std::size_t sample : fold.held_out) {
      earned += runs.point(fold.recommendation, sample).spot_share / 5;
      lost += runs.point(fold.recommendation, sample).vm_loss / 5;
      same_policies += runs.point(baseline, sample).spot_share / 5;
      plain += runs.point(best, sample).spot_share / 5;
      plain_lost += runs.point(best, sample).vm_loss / 5;
    }
  }
  const std::string text = text_of(settings, samples, runs, whole, folds);
  const auto says = [&](const std::string& line) { return text.find(line) != std::string::npos; };
  CHECK(says(fmt::format("spot revenue earned  {:.1f}% of what spots request", 100 * earned)));
  CHECK(says(fmt::format("VM revenue lost      {:.4f}%;", 100 * lost)));
  CHECK(
      says(fmt::format("without cooperation  {:.1f}% (VM revenue lost {:.4f}%): the best of 4 "
                       "settings",
                       100 * plain, 100 * plain_lost)));
  CHECK(says(fmt::format("{:.1f}% (VM revenue lost ", 100 * same_policies)));
  CHECK_FALSE(says("On the validation samples"));
  CHECK_FALSE(says("knows lifetimes"));
}

/// Of the candidates that do not cooperate (OTN 1, SAF off) and can be set: those that keep the
/// limit on every sample earn more the better; when none does, the one that loses least. Compared
/// one by one.
std::size_t best_without_cooperation(const TuneSettings& settings, const TuneRuns& runs,
                                     const std::vector<std::size_t>& samples) {
  std::optional<std::size_t> best;
  for (std::size_t candidate = 0; candidate < runs.space().size(); ++candidate) {
    const AllocatorSpec& at = runs.space().at(candidate);
    if (at.saf || at.otn.label() != "1" || at.evictor.name == "LPO") continue;
    if (!best) best = candidate;
    const bool keeps = keeps_limit(runs, candidate, samples, settings.max_vm_loss);
    const bool best_keeps = keeps_limit(runs, *best, samples, settings.max_vm_loss);
    const CostAndRevenue mean = runs.mean(candidate, samples);
    const CostAndRevenue of_best = runs.mean(*best, samples);
    const bool earns_more = mean.spot_share > of_best.spot_share;
    const bool is_better =
        keeps != best_keeps ? keeps
        : keeps             ? earns_more
                : mean.vm_loss < of_best.vm_loss || (mean.vm_loss == of_best.vm_loss && earns_more);
    if (is_better) best = candidate;
  }
  return *best;
}

TEST_CASE("tune: beside the recommendation stands the best of all settings without cooperation") {
  // Enough settings that most are eliminated: 3 x 6 x 2 x 2 x 6 = 432, of which 36 have OTN 1 and
  // SAF off. Without headroom no setting may keep the limit; with 5 % one does.
  TuneSettings settings =
      settings_of({"UTIL", "COS", "DPD"}, {"sUTIL", "sCOS", "sDPD", "vmaUTIL", "vmaCOS", "vmaDPD"},
                  {"FIFO", "LPML"}, {"1", "2", "4", "8", "16", "32"});
  settings.threads = 2;
  for (const double headroom : {0.0, 5.0}) {
    const auto samples = samples_of(recipes(6, "0.0005"), settings, headroom);
    TuneRuns runs(settings, samples, kHost);
    const TuneOutcome outcome = tune_by_halves(samples, runs);
    CHECK(outcome.complete.size() < 432 / 2);
    CHECK(outcome.tried_without_cooperation == 36);
    REQUIRE(outcome.without_cooperation);
    const std::size_t expected = best_without_cooperation(settings, runs, outcome.selection);
    CHECK(runs.mean(*outcome.without_cooperation, outcome.selection).spot_share ==
          runs.mean(expected, outcome.selection).spot_share);
    // It was judged on the samples that judge the recommendation.
    const double judged = runs.mean(*outcome.without_cooperation, outcome.held_out).spot_share;
    CHECK(text_of(settings, samples, runs, outcome)
              .find(fmt::format("without cooperation  {:.1f}% (VM revenue lost", 100 * judged)) !=
          std::string::npos);
  }
}

TEST_CASE("tune: without OTN 1 there is nothing to compare with, and it says so") {
  const TuneSettings settings = settings_of({"UTIL"}, {"sDPD"}, {"FIFO"}, {"4", "8"});
  const auto samples = samples_of(recipes(2, "0.0003"), settings, 2);
  TuneRuns runs(settings, samples, kHost);
  const TuneOutcome outcome = tune_by_halves(samples, runs);
  CHECK_FALSE(outcome.without_cooperation);
  CHECK(text_of(settings, samples, runs, outcome)
            .find("without cooperation  not tried: --otn has no 1") != std::string::npos);
}

TEST_CASE(
    "tune: what knows lifetimes stands beside the recommendation, never the "
    "recommendation") {
  TuneSettings settings =
      settings_of({"UTIL", "DPD"}, {"sUTIL", "vmaCOS"}, {"LPO", "FIFO"}, {"1", "4", "16"});
  settings.max_vm_loss = 1;
  const auto samples = samples_of(recipes(4, "0.001"), settings, 2);
  TuneRuns runs(settings, samples, kHost);
  const TuneOutcome outcome = tune_by_halves(samples, runs);
  const auto evictor_of = [&](std::size_t candidate) {
    return runs.space().at(candidate).evictor.name;
  };
  CHECK(evictor_of(outcome.recommendation) == "FIFO");
  CHECK(evictor_of(*outcome.without_cooperation) == "FIFO");
  CHECK(outcome.tried_without_cooperation == 2 * 2);
  for (const auto& some : {outcome.complete, outcome.finalists, outcome.front}) {
    for (const std::size_t candidate : some) CHECK(evictor_of(candidate) == "FIFO");
  }
  REQUIRE(outcome.bound);
  CHECK(evictor_of(*outcome.bound) == "LPO");
  // The same recommendation as when LPO is no choice at all.
  TuneSettings without = settings;
  without.evictors.erase(without.evictors.begin());
  const auto same_samples = samples_of(recipes(4, "0.001"), without, 2);
  TuneRuns others(without, same_samples, kHost);
  const TuneOutcome plain = tune_by_halves(same_samples, others);
  CHECK(runs.mean(outcome.recommendation, outcome.held_out).spot_share ==
        others.mean(plain.recommendation, plain.held_out).spot_share);
  const std::string text = text_of(settings, samples, runs, outcome);
  const double bound = runs.mean(*outcome.bound, outcome.held_out).spot_share;
  CHECK(text.find(fmt::format("cannot be set        {:.1f}% (VM revenue lost", 100 * bound)) !=
        std::string::npos);
  CHECK(text.find("(knows lifetimes)") != std::string::npos);

  settings.evictors.pop_back();
  const std::string error = error_text<ConfigError>([&] { require_something_to_set(settings); });
  CHECK(
      error.starts_with("nothing can be set: every choice knows lifetimes; "
                        "expected an evictor that can be set as well: FIFO, LPML, LPKM, YJF"));
}

TEST_CASE("cross-validation: what nova.conf can be set to is judged too") {
  TuneSettings settings = settings_of({"UTIL"}, {"sUTIL", "sDPD"}, {"FIFO", "LPML"}, {"1", "4"});
  settings.max_vm_loss = 1;
  const std::vector<TuneSample> samples = samples_of(recipes(4, "0.001"), settings, 2);
  TuneRuns runs(settings, samples, kHost);
  const std::vector<TuneOutcome> folds = cross_validate(draw_folds(samples.size(), 4, 1), runs);
  const TuneOutcome whole = tune(use_all(samples.size()), runs);
  double earned = 0;
  for (const TuneOutcome& fold : folds) {
    REQUIRE(fold.held_out.size() == 1);
    CHECK(runs.space().at(*fold.recommendation_for_nova).evictor.name ==
          "FIFO");  // nova.conf knows no LPML
    earned += runs.point(*fold.recommendation_for_nova, fold.held_out.front()).spot_share / 4;
  }
  const std::string text = text_of(settings, samples, runs, whole, folds);
  CHECK(text.find(fmt::format("in nova.conf         {:.1f}%, VM", 100 * earned)) !=
        std::string::npos);
}

TEST_CASE("draw_halves: a half, rounded down, judges, by the seed") {
  for (const std::size_t count : {2U, 3U, 10U}) {
    std::set<std::vector<std::size_t>> drawn;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const SampleUse use = draw_halves(count, seed);
      check_split(use, count);
      CHECK(use.held_out.size() == count / 2);
      CHECK(use.held_out == draw_halves(count, seed).held_out);
      drawn.insert(use.held_out);
    }
    CHECK(drawn.size() > 1);
  }
  CHECK_THROWS_AS((void)draw_halves(1, 1), ConfigError);
}

TEST_CASE("pareto_layers: as taking the points that none dominates away, again and again") {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<CostAndRevenue> points(random.below(30));
    for (CostAndRevenue& point : points) {  // a coarse grid: many are equal in one or both
      point = {.vm_loss = static_cast<double>(random.below(6)),
               .spot_share = static_cast<double>(random.below(6))};
    }
    std::vector<std::size_t> expected(points.size(), SIZE_MAX);
    for (std::size_t layer = 0; layer < points.size(); ++layer) {
      std::vector<std::size_t> free;
      for (std::size_t i = 0; i < points.size(); ++i) {
        const auto beats = [&](std::size_t j) {
          return expected[j] == SIZE_MAX && dominates(points[j], points[i]);
        };
        if (expected[i] != SIZE_MAX) continue;
        if (!std::ranges::any_of(all_of(points.size()), beats)) free.push_back(i);
      }
      for (const std::size_t i : free) expected[i] = layer;
    }
    CHECK(pareto_layers(points) == expected);
  }
}

TEST_CASE("best_by_layer: layer by layer, in one by revenue, ties to the lower position") {
  // Layer 0: positions 1 and 3; layer 1: 0 and 2, which earn the same; layer 2: 4.
  const std::vector<CostAndRevenue> points{{1, 0.5}, {0, 0.4}, {1, 0.5}, {1, 0.7}, {2, 0.3}};
  CHECK(best_by_layer(points, 1) == std::vector<std::size_t>{3});
  CHECK(best_by_layer(points, 3) == std::vector<std::size_t>{0, 1, 3});
  CHECK(best_by_layer(points, 9) == all_of(5));
}

TEST_CASE("whole_layers: layers while they fit, then from end to end of the next") {
  // Layer 0: positions 1 and 4; layer 1: 0, 2, 3, 5 and 6, by VM loss 0, 6, 3, 5 and 2.
  const std::vector<CostAndRevenue> points{{1, 0.1}, {0, 0.5}, {4, 0.6}, {5, 0.7},
                                           {1, 0.9}, {6, 0.8}, {2, 0.2}};
  const std::vector<std::size_t> layers = pareto_layers(points);
  CHECK(layers == std::vector<std::size_t>{1, 0, 1, 1, 0, 1, 1});
  CHECK(whole_layers(points, 0).empty());
  CHECK(whole_layers(points, 2) == std::vector<std::size_t>{1, 4});
  CHECK(whole_layers(points, 3) == std::vector<std::size_t>{0, 1, 4});
  CHECK(whole_layers(points, 5) == std::vector<std::size_t>{0, 1, 2, 4, 5});
  CHECK(whole_layers(points, 9) == all_of(7));
  CHECK(whole_layers({}, 3).empty());
}

TEST_CASE("tune: when few candidates need no elimination, the recommendation is the best of all") {
  for (const double limit : {0.0, 0.001}) {
    TuneSettings settings = settings_of({"UTIL", "COS"}, {"sDPD"}, {"FIFO"}, {"1", "4", "16"});
    settings.max_vm_loss = limit;
    const auto samples = samples_of(recipes(4, "0.0005"), settings, 2);
    TuneRuns runs(settings, samples, kHost);
    const TuneOutcome outcome = tune_by_halves(samples, runs);
    const std::vector<std::size_t> everything = all_of(runs.space().size());
    CHECK(outcome.finalists.size() == everything.size());
    runs.simulate(everything, outcome.selection);
    const double best = best_share(runs, outcome.selection, limit);
    REQUIRE(best > 0);
    CHECK(outcome.keeps_limit);
    CHECK(runs.mean(outcome.recommendation, outcome.selection).spot_share == best);
  }
}

TEST_CASE(
    "tune: the recommendation is close to the best of the whole grid, for a part of its runs") {
  // Tolerances: 2 percentage points of spot revenue on the samples that chose, where only the
  // elimination can miss the best; 4 on the held-out ones, which the choice has not seen.
  TuneSettings settings = settings_of({"UTIL", "COS", "DPD"}, {"sUTIL", "sDPD", "vmaCOS"},
                                      {"FIFO", "LPML"}, {"1", "4", "8", "16"});
  settings.threads = 2;
  const auto samples = samples_of(recipes(10, "0.001"), settings, 3);
  TuneRuns runs(settings, samples, kHost);
  const TuneOutcome outcome = tune_by_halves(samples, runs);
  const std::vector<std::size_t> everything = all_of(runs.space().size());
  CHECK(everything.size() == 144);
  CHECK(runs.count() < everything.size() * samples.size() / 2);
  const std::size_t used = runs.count();
  runs.simulate(everything, all_of(samples.size()));
  CHECK(runs.count() == everything.size() * samples.size());
  CHECK(used < runs.count());

  REQUIRE(outcome.keeps_limit);
  CHECK(keeps_limit(runs, outcome.recommendation, outcome.selection, 0));
  CHECK(runs.mean(outcome.recommendation, outcome.selection).spot_share >=
        best_share(runs, outcome.selection, 0) - 0.02);
  const CostAndRevenue held_out = runs.mean(outcome.recommendation, outcome.held_out);
  double ahead = 0;  // of those that lose no more on the held-out samples
  for (const std::size_t candidate : everything) {
    const CostAndRevenue other = runs.mean(candidate, outcome.held_out);
    if (other.vm_loss <= held_out.vm_loss) {
      ahead = std::max(ahead, other.spot_share - held_out.spot_share);
    }
  }
  CHECK(ahead <= 0.04);
  CHECK(held_out.spot_share >
        1.05 * runs.mean(*runs.space().baseline_of(outcome.recommendation), outcome.held_out)
                   .spot_share);
}

std::set<std::pair<double, double>> points_of(const TuneRuns& runs,
                                              const std::vector<std::size_t>& candidates,
                                              const std::vector<std::size_t>& samples) {
  std::set<std::pair<double, double>> points;
  for (const std::size_t candidate : candidates) {
    const CostAndRevenue point = runs.mean(candidate, samples);
    points.emplace(point.vm_loss, point.spot_share);
  }
  return points;
}

/// Those of the candidates that no other of them dominates, each compared with each.
std::vector<std::size_t> exact_front(const TuneRuns& runs,
                                     const std::vector<std::size_t>& candidates,
                                     const std::vector<std::size_t>& samples) {
  std::vector<std::size_t> front;
  for (const std::size_t candidate : candidates) {
    const auto beats = [&](std::size_t other) {
      return dominates(runs.mean(other, samples), runs.mean(candidate, samples));
    };
    if (std::ranges::none_of(candidates, beats)) front.push_back(candidate);
  }
  return front;
}

TEST_CASE("tune: the front is that of the whole grid, whatever the limit, in a part of its runs") {
  // Without headroom VMs lose to spots, so that the front has several points. Elimination may miss
  // points; of these sizes it finds all.
  struct Case {
    std::size_t workloads;
    const char* scale;
    std::size_t points;
  };
  for (const Case& at : {Case{4, "0.0005:sampling=bernoulli", 5}, Case{8, "0.002", 9}}) {
    TuneSettings settings = settings_of({"UTIL", "COS", "DPD"}, {"sDPD", "vmaUTIL"},
                                        {"FIFO", "YJF"}, {"1", "4", "16", "32"});
    settings.threads = 2;
    const auto samples = samples_of(recipes(at.workloads, at.scale), settings, 0);
    for (const double limit : {0.0, 0.002, 1.0}) {
      settings.max_vm_loss = limit;
      TuneRuns runs(settings, samples, kHost);
      const TuneOutcome outcome = tune_by_halves(samples, runs);
      const auto complete = points_of(runs, exact_front(runs, outcome.complete, outcome.selection),
                                      outcome.selection);
      CHECK(points_of(runs, outcome.front, outcome.selection) == complete);
      CHECK(outcome.front.size() == complete.size());
      CHECK(outcome.whole_front == complete.size());
      CHECK(outcome.complete.size() < 60);
      const std::string text = text_of(settings, samples, runs, outcome);
      CHECK(text.find("It covers the " + std::to_string(outcome.complete.size()) +
                      " settings that ran on all of them (of 96)") != std::string::npos);
      const std::vector<std::size_t> everything = all_of(runs.space().size());
      runs.simulate(everything, outcome.selection);
      const std::vector<std::size_t> exact = exact_front(runs, everything, outcome.selection);
      CHECK(points_of(runs, exact, outcome.selection) == complete);
      CHECK(complete.size() == at.points);
    }
  }
}

TEST_CASE("tune: the same for any number of threads; what is held out plays no part") {
  TuneSettings settings = settings_of({"UTIL", "DPD"}, {"sUTIL", "vmaCOS"}, {"FIFO", "LPML"},
                                      {"1", "8", "epsilon-0.2"});
  const auto specs = recipes(4, "0.0005");
  const auto samples = samples_of(specs, settings, 2);
  TuneRuns runs(settings, samples, kHost);
  const TuneOutcome outcome = tune_by_halves(samples, runs);
  const std::string text = text_of(settings, samples, runs, outcome);
  CHECK(text.find("  evictor: ") != std::string::npos);

  settings.threads = 4;
  TuneRuns again(settings, samples, kHost);
  CHECK(text_of(settings, samples, again, tune_by_halves(samples, again)) == text);

  std::vector<WorkloadSpec> others = specs;
  for (const std::size_t sample : outcome.held_out) {
    others[sample] = parse_workload_spec("azure2020:seed=77:scale=0.0005:sampling=bernoulli");
    others[sample].label += std::to_string(sample);
  }
  const auto judged_by_others = samples_of(others, settings, 2);
  TuneRuns third(settings, judged_by_others, kHost);
  const TuneOutcome same = tune_by_halves(judged_by_others, third);
  CHECK(same.recommendation == outcome.recommendation);
  CHECK(same.finalists == outcome.finalists);
}

TEST_CASE("tune: keeps its budget, and says when it is too small") {
  TuneSettings settings =
      settings_of({"UTIL", "COS", "DPD"}, {"sUTIL", "sDPD"}, {"FIFO"}, {"1", "4", "16"});
  const auto samples = samples_of(recipes(4, "0.0002"), settings, 2);
  for (const std::size_t budget : {10U, 40U, 80U}) {
    settings.budget = budget;
    TuneRuns runs(settings, samples, kHost);
    const TuneOutcome outcome = tune_by_halves(samples, runs);
    CHECK(outcome.rounds.front().candidates >= 1);
    CHECK(outcome.without_cooperation);
    CHECK(runs.count() <= budget);
  }
  settings.budget = 3;
  TuneRuns runs(settings, samples, kHost);
  CHECK_THROWS_AS((void)tune_by_halves(samples, runs), ConfigError);
}

TEST_CASE("tune: nova.conf gets only what Nova has") {
  // Every offer, but no evictor that needs lifetimes.
  TuneSettings settings = settings_of({"UTIL"}, {"sDPD"}, {"LPML", "YJF"}, {"epsilon-0.2"});
  const auto samples = samples_of(recipes(2, "0.0002"), settings, 2);
  TuneRuns runs(settings, samples, kHost);
  const TuneOutcome outcome = tune_by_halves(samples, runs);
  REQUIRE(outcome.recommendation_for_nova);
  const AllocatorSpec& at = runs.space().at(*outcome.recommendation_for_nova);
  CHECK(at.evictor.name == "YJF");
  CHECK(at.otn.label() == "epsilon-0.2");
  settings.evictors.pop_back();
  TuneRuns without(settings, samples, kHost);
  CHECK_FALSE(tune_by_halves(samples, without).recommendation_for_nova);
}

/// The number of runs of a search of parts, and what is known of each.
std::pair<std::size_t, std::vector<RunResult>> results_of_search(
    const TuneSettings& settings, const std::vector<TuneSample>& samples) {
  TuneRuns runs(settings, samples, kHost);
  for (const SampleUse& use : forward_in_time(samples.size())) (void)tune(use, runs);
  std::vector<RunResult> results;
  for (std::size_t candidate = 0; candidate < runs.space().size(); ++candidate) {
    for (std::size_t sample = 0; sample < samples.size(); ++sample) {
      const RunResult* found = runs.find(candidate, sample);
      results.push_back(found == nullptr ? RunResult{} : *found);
    }
  }
  return {runs.count(), results};
}

TEST_CASE("TuneRuns: runs that go on from part to part are those of each part by itself") {
  const TuneSettings settings =
      settings_of({"UTIL", "COS"}, {"sDPD", "vmaUTIL", "sCOS"}, {"FIFO", "YJF", "LPO"},
                  {"1", "2", "8", "epsilon-0.5",
                   "adaptive:at_low_load=8:at_high_load=1:from=0.5:"
                   "to=0.9"});
  const auto specs = recipes(1, "0.0008");
  const std::vector<TuneSample> parts =
      make_samples(specs, {.host = kHost, .size = {.percent = 2.0}}, settings, 6).samples;
  REQUIRE(parts.back().schedule.cuts.size() == 6);
  std::vector<TuneSample> apart = parts;
  for (TuneSample& part : apart) {
    part.workload = windowed(load_workload(specs.front()), part.workload.window);
    part.schedule = make_schedule(part.workload);
    part.evictors = settings.evictors;
  }
  const auto [count, results] = results_of_search(settings, parts);
  const auto [expected_count, expected] = results_of_search(settings, apart);
  CHECK(count == expected_count);
  REQUIRE(results.size() == expected.size());
  std::size_t contended = 0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    CAPTURE(i);
    check_same_result(results[i], expected[i]);
    contended += results[i].evictions > 0 ? 1 : 0;
  }
  CHECK(contended > 100);
}

TEST_CASE("make_samples: all parts of a workload have its datacenter") {
  const TuneSettings settings = settings_of({"UTIL", "COS"}, {"sDPD"}, {"FIFO"}, {"1", "4"});
  const auto specs = recipes(1, "0.002");
  const TuneSamples made =
      make_samples(specs, {.host = kHost, .size = {.percent = 10.0}}, settings, 4);
  const Workload workload = load_workload(specs.front());
  const EventSchedule vms = make_schedule(workload, ScheduledClasses::kVmsOnly);
  std::size_t fewest = SIZE_MAX;
  REQUIRE(made.whole);
  REQUIRE(made.whole->needed.size() == 2);
  for (std::size_t vm = 0; vm < 2; ++vm) {
    const std::size_t needed = smallest_datacenter(workload, vms, kHost, settings.vm[vm]).hosts;
    CHECK(made.whole->needed[vm] == needed);
    fewest = std::min(fewest, needed);
  }
  // 10 % more than the fewest, rounded: n + round(n * 10 / 100).
  CHECK(made.whole->hosts == fewest + (fewest + 5) / 10);
  REQUIRE(made.samples.size() == 4);
  CHECK(made.whole->part == workload.window / 4);
  for (const TuneSample& part : made.samples) {
    CHECK(part.hosts == made.whole->hosts);
    CHECK(part.goes_on == (&part != made.samples.data()));
  }
  TuneRuns runs(settings, made.samples, kHost);
  const TuneOutcome outcome = tune_by_halves(made.samples, runs);
  const std::string text = text_of(settings, made.samples, runs, outcome, {}, made.whole);
  CHECK(text.find(fmt::format("Datacenter: {} hosts; VMs alone need ", made.whole->hosts)) !=
        std::string::npos);
  CHECK(text.find("A sample is 3.5 days of the workload, one of 4;") != std::string::npos);

  // What starts after the last part is in no part.
  auto shorter = specs;
  shorter.front().window = workload.window / 2;
  const auto halves =
      make_samples(shorter, {.host = kHost, .size = {.percent = 10.0}}, settings, 2).samples;
  const auto in_time = [&](const WorkloadRow& row) { return row.start < workload.window / 2; };
  CHECK(halves.back().workload.rows.size() ==
        static_cast<std::size_t>(std::ranges::count_if(workload.rows, in_time)));
  CHECK(std::ranges::all_of(halves.back().workload.rows, in_time));

  const TuneSamples stated =
      make_samples(specs, {.host = kHost, .size = {.percent = {}, .hosts = 120}}, settings, 4);
  for (const TuneSample& part : stated.samples) CHECK(part.hosts == 120);
  const auto several =
      make_samples(recipes(2, "0.0003"), {.host = kHost, .size = {.percent = 2.0}}, settings, 4);
  CHECK_FALSE(several.whole);
  const auto twice = samples_of(recipes(2, "0.0005"), settings, 100);
  const auto least = samples_of(recipes(2, "0.0005"), settings, 0);
  CHECK(twice[0].hosts == 2 * least[0].hosts);
}

TEST_CASE("make_samples: with stated hosts, a VM larger than each of them counts as rejected") {
  const TuneSettings settings = settings_of({"UTIL"}, {"sDPD"}, {"FIFO"}, {"1"});
  const HostMix small(ResourceVector{2000, 2250, 0});  // the largest VMs ask for more
  const auto specs = recipes(1, "0.002");
  const TuneSamples made =
      make_samples(specs, {.host = small, .size = {.percent = {}, .hosts = 300}}, settings, 2);
  REQUIRE(made.whole);
  CHECK(made.whole->needed.empty());
  CHECK(made.samples[0].hosts == 300);
  CHECK_THROWS_WITH_AS(
      (void)make_samples(specs, {.host = small, .size = {.percent = 2.0}}, settings, 2),
      doctest::Contains("give --hosts instead of --headroom-percent"), ConfigError);
}

TEST_CASE("sample_warnings: few hosts and parts shorter than a day, and what would suffice") {
  const auto warned = [](std::size_t hosts, SimTime part, std::size_t parts) {
    TuneSamples samples;
    samples.whole = WholeWorkload{.hosts = hosts, .part = part};
    samples.samples.resize(parts);
    for (TuneSample& sample : samples.samples) sample.hosts = hosts;
    return sample_warnings(samples);
  };
  CHECK(warned(12, kDay, 7).empty());
  const auto few = warned(11, kDay, 7);
  REQUIRE(few.size() == 1);
  CHECK(few.front().find("datacenters of 11 hosts") == 0);
  CHECK(few.front().find("to reach 12 hosts") != std::string::npos);
  // 14 parts of 12 hours: 7 days, so at most 7 parts.
  const auto brief = warned(12, kDay / 2, 14);
  REQUIRE(brief.size() == 1);
  CHECK(brief.front() ==
        "parts of 12.0 hours cover different times of day; "
        "expected --parts 7 at most");
  CHECK(warned(12, kDay / 2, 3).front().find("a history of two days or more") != std::string::npos);
}

/// A verdict by its definitions, for a limit of 0 and VMs worth as much as spots.
struct ExpectedVerdict {
  std::size_t over = 0;
  double mean = 0;
  double half = 0;
};

template <class Pick>
ExpectedVerdict verdict_of(const TuneRuns& runs, const std::vector<TuneOutcome>& folds,
                           const Pick& pick) {
  ExpectedVerdict expected;
  std::vector<double> gains;
  for (const TuneOutcome& fold : folds) {
    for (const std::size_t sample : fold.held_out) {
      const auto net = [&](std::size_t candidate) {
        const RunResult& run = *runs.find(candidate, sample);
        return (static_cast<double>(run.spot_revenue) -
                static_cast<double>(run.vm_revenue_requested - run.vm_revenue)) /
               static_cast<double>(run.spot_revenue_requested);
      };
      const RunResult& run = *runs.find(pick(fold), sample);
      if (run.vm_revenue < run.vm_revenue_requested) ++expected.over;
      gains.push_back(net(pick(fold)) - net(*fold.without_cooperation));
    }
  }
  REQUIRE(gains.size() == 6);
  expected.mean = std::accumulate(gains.begin(), gains.end(), 0.0) / 6;
  double squares = 0;
  for (const double gain : gains) squares += (gain - expected.mean) * (gain - expected.mean);
  expected.half = 2.570582 * std::sqrt(squares / 5 / 6);  // t(0.975) of 5 degrees of freedom
  return expected;
}

TEST_CASE("judge: cooperate where the limit holds and there is a gain") {
  const TuneSettings settings = settings_of({"UTIL", "COS", "DPD"}, {"sDPD", "vmaUTIL"}, {"FIFO"},
                                            {"1", "4", "16", "epsilon-0.7"});
  std::set<std::string> seen;
  for (const double headroom : {-1.0, 0.0, 1.0, 2.0, 5.0, 10.0, 400.0}) {
    auto samples = samples_of(recipes(6, "0.0005"), settings, std::max(headroom, 0.0));
    // A host too few: VMs are lost whatever is set.
    if (headroom < 0) --samples.front().hosts;
    TuneRuns runs(settings, samples, kHost);
    const auto folds = cross_validate(draw_folds(samples.size(), 3, 1), runs);
    const TuneOutcome outcome = tune(use_all(samples.size()), runs);
    const TuneVerdict verdict = judge(runs, outcome, folds);
    const ExpectedVerdict best =
        verdict_of(runs, folds, [](const TuneOutcome& fold) { return fold.recommendation; });
    const ExpectedVerdict plainer = verdict_of(
        runs, folds, [](const TuneOutcome& fold) { return *fold.recommendation_for_nova; });
    const auto holds = [&](const ExpectedVerdict& one) {
      return one.over == 0 && outcome.keeps_limit && one.mean > 0;
    };
    const bool is_plainer = !holds(best) && holds(plainer);
    const ExpectedVerdict& judged = is_plainer ? plainer : best;
    CHECK(verdict.validated == 6);
    CHECK((verdict.choice == JudgedChoice::kForNova) == is_plainer);
    CHECK(verdict.over_limit == judged.over);
    CHECK(verdict.gain.mean == doctest::Approx(judged.mean));
    CHECK(*verdict.gain.half_width == doctest::Approx(judged.half).epsilon(1e-5));
    const TuneAdvice expected = holds(judged) ? TuneAdvice::kCooperate
                                : judged.over > 0 || !outcome.keeps_limit
                                    ? TuneAdvice::kKeepForLimit
                                    : TuneAdvice::kKeepForGain;
    CHECK(verdict.advice == expected);
    seen.insert(std::string(advice_name(verdict.advice)) + (is_plainer ? ", plainer" : ""));
    const std::size_t set = advised(verdict, outcome);
    if (expected == TuneAdvice::kCooperate) {
      CHECK(set == (is_plainer ? *outcome.recommendation_for_nova : outcome.recommendation));
      continue;
    }
    // What is to be set does not cooperate, and the first line says so.
    CHECK(runs.space().baseline_of(set) == set);
    CHECK(verdict_text(verdict, 0, {}).starts_with("Recommendation: keep what you have"));
  }
  CHECK(seen == std::set<std::string>{"cooperate", "keep: over the limit"});
}

TEST_CASE("judge: where the best of all loses VMs, the best that Nova can be set to may stand") {
  TuneSettings settings =
      settings_of({"UTIL", "COS"}, {"vmaUTIL"}, {"FIFO"}, {"1", "16", "epsilon-0.7"});
  settings.max_vm_loss = 1;  // any loss
  const auto samples = samples_of(recipes(10, "0.001"), settings, 5);
  TuneRuns runs(settings, samples, kHost);
  const std::vector<std::size_t> everything = all_of(runs.space().size());
  runs.simulate(everything, all_of(10));
  // Candidates by hand: OTN 16 for Nova, and as the best one what differs from it.
  const auto candidate = [&](std::size_t vm, std::size_t otn) {
    for (const std::size_t one : everything) {
      const Coordinates at = runs.space().positions(one);
      if (at[0] == vm && at[4] == otn && !settings.saf[at[3]]) return one;
    }
    return everything.size();
  };
  std::vector<TuneOutcome> folds(2);
  for (std::size_t fold = 0; fold < 2; ++fold) {
    folds[fold].held_out = fold == 0 ? std::vector<std::size_t>{0, 1, 2, 3, 4}
                                     : std::vector<std::size_t>{5, 6, 7, 8, 9};
    folds[fold].recommendation = candidate(1, 2);
    folds[fold].recommendation_for_nova = candidate(1, 1);
    folds[fold].without_cooperation = candidate(1, 0);
  }
  TuneOutcome outcome = folds.front();
  outcome.keeps_limit = true;
  const TuneVerdict plain = judge(runs, outcome, folds);
  // A limit below 0 is lost by every run.
  settings.max_vm_loss = -1;
  const TuneVerdict lost = judge(runs, outcome, folds);
  settings.max_vm_loss = 1;
  CHECK(lost.advice == TuneAdvice::kKeepForLimit);
  CHECK(lost.over_limit == 10);
  CHECK(advised(lost, outcome) == candidate(1, 0));
  // Without a gain of its own (it is the baseline), the best gives way to the plainer one that has.
  for (TuneOutcome& fold : folds) fold.recommendation = candidate(1, 0);
  const TuneVerdict plainer = judge(runs, outcome, folds);
  REQUIRE(plain.validated == 10);
  CHECK(plainer.advice == TuneAdvice::kCooperate);
  CHECK(plainer.choice == JudgedChoice::kForNova);
  CHECK(advised(plainer, outcome) == candidate(1, 1));
  CHECK(verdict_text(plainer, 0, {}).find("Only settings that nova.conf supports are considered") !=
        std::string::npos);
  // Where that is the baseline too, nothing is gained.
  for (TuneOutcome& fold : folds) fold.recommendation_for_nova = candidate(1, 0);
  const TuneVerdict none = judge(runs, outcome, folds);
  CHECK(none.gain.mean == 0);
  CHECK(none.advice == TuneAdvice::kKeepForGain);
  CHECK(advised(none, outcome) == candidate(1, 0));
  CHECK(verdict_text(none, 0, {}).find("No gain: cooperation changes") != std::string::npos);
}

TEST_CASE("judge: an unsure gain is worth acting on, with what is at stake") {
  // A gain of 1 point, 3 on either side: 3 - 1 = 2 points may be lost. The interval is as narrow
  // as the gain on 3 x 3 times as many samples: 4 x 9 = 36.
  const TuneVerdict verdict{.advice = TuneAdvice::kCooperate,
                            .gain = {.mean = 0.01, .half_width = 0.03},
                            .searches = 4,
                            .chose_it = 4,
                            .validated = 4};
  const std::string text = verdict_text(verdict, 0, {});
  CHECK(text.find("to cooperate risks up to 2.0 points, to wait gives up 1.0") !=
        std::string::npos);
  CHECK(text.find("About 36 validation samples like these, instead of 4") != std::string::npos);
}

TEST_CASE("around_yaml: what cospot compare runs has the tuned hosts, and its rows are tune's") {
  const TuneSettings settings = settings_of({"UTIL", "COS"}, {"sDPD"}, {"FIFO"}, {"1", "4", "16"});
  const auto specs = recipes(1, "0.001");
  const TunedDatacenter datacenter{.host = kHost, .size = {.percent = 5.0}};
  const TuneSamples made = make_samples(specs, datacenter, settings, 3);
  TuneRuns runs(settings, made.samples, kHost);
  const auto folds = cross_validate(draw_folds(3, 3, 1), runs);
  const TuneOutcome outcome = tune(use_all(3), runs);
  const TuneRequest request{.workloads = specs, .datacenter = datacenter, .settings = settings};
  const TuneFindings findings{request, made.samples, runs, outcome, folds, made.whole};
  const ScratchFolder folder;
  const auto file =
      folder.write("around.yaml", around_yaml(findings, {.host = "10400,2250"}, folder.path()));
  const Sweep sweep = read_sweep(file, {});
  REQUIRE(sweep.sizes.size() == 1);
  CHECK(sweep.sizes.front().hosts == made.whole->hosts);
  const Grid grid = grid_of_sweep(sweep);
  std::size_t compared = 0;
  const EventSchedule schedule =
      make_schedule(load_workload(specs.front()), ScheduledClasses::kVmsAndSpots);
  // The last sample is the whole workload; its runs are those of the study.
  for (std::size_t run = 0; run < grid.run_count(); ++run) {
    const RunSettings one = run_settings_at(run_of_sweep(sweep, run), sweep.sizes.front().hosts);
    SimulationEngine engine(schedule, one.host.table(one.hosts), make_allocator(one, false));
    engine.run();
    const RunResult result = engine.result();
    for (std::size_t candidate = 0; candidate < runs.space().size(); ++candidate) {
      const AllocatorSpec& tuned = runs.space().at(candidate);
      const RunResult* known = runs.find(candidate, 2);
      if (known == nullptr || tuned.label() != one.label()) continue;
      CHECK(known->spot_revenue == result.spot_revenue);
      CHECK(known->evictions == result.evictions);
      ++compared;
    }
  }
  CHECK(compared >= 4);
}

TEST_CASE("tune_record: rows stand where the sweep has them") {
  const TuneSettings settings = settings_of({"UTIL"}, {"sDPD"}, {"FIFO"}, {"1", "4"});
  const auto samples = samples_of(recipes(3, "0.0002"), settings, 2);
  TuneRuns runs(settings, samples, kHost);
  const TuneOutcome outcome = tune_by_halves(samples, runs);
  const TuneRequest request{.workloads = {}, .datacenter = {kHost, {}}, .settings = settings};
  const TuneRecord record =
      tune_record({request, samples, runs, outcome, std::span<const TuneOutcome>{}, std::nullopt});
  CHECK(record.rows.size() == runs.count());
  for (const Row& stored : record.rows) {
    const ResultRow row = to_result_row(stored);
    const auto at = run_of_sweep(record.sweep, row.run_index);
    CHECK(at.get(kWorkloadAxis).label == row.workload);
    CHECK(at.get(kSizeAxis).hosts == row.result.hosts);
    CHECK((at.get(kOtnAxis) == row.otn));
    CHECK(at.get(kSafAxis) == row.saf);
    CHECK(row.result.wall_ms == 0);
  }
  CHECK(std::ranges::is_sorted(record.rows, {}, &Row::run_index));
}

}  // namespace
}  // namespace cospot
