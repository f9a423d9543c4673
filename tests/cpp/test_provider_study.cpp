// The one study of the provider's datacenter: its short forms, and parts that any of them may ask
// for.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/data/workloads/workload_writer.hpp"
#include "sim_harness/provider/loop/provider_run.hpp"
#include "sim_harness/studies/compare/compare_schema.hpp"
#include "sim_harness/studies/provider/parts/economy_levels.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_study.hpp"
#include "sim_harness/studies/sla/sla_settings.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/one_case_in.hpp"
#include "tests/cpp/random_workload.hpp"
#include "tests/cpp/scratch_folder.hpp"

namespace cospot {
namespace {

constexpr const char* kPolicies =
    "workloads: w.csv\nhost: {vcpus: 12, memory_mb: 12}\nhosts: 4\nvm: COS\nspot: vmaUTIL\n"
    "evictor: FIFO\nsaf: true\notn: 2\n";
constexpr const char* kTraces =
    "workloads: w.csv\nspot_workloads: same\nhost: {vcpus: 12, memory_mb: 12}\nhosts: 4\n";

/// By the name of a part, what a file says of it.
struct PartKeys {
  std::string_view name;
  std::string keys;
};
const std::vector<PartKeys>& all_parts() {
  static const std::vector<PartKeys> parts{
      {"target", "target: [none, 0.2]\nsamples: 50\nleast_samples: 1\n"},
      {"economy", "economy: UTIL\neconomy_percent: [0, 40]\npromise: unlimited\n"},
      {"disruptions",
       "disruptions: [none, {retries: {patience_s: 9000}, returning_spots: {patience_s: 9000},\n"
       "  failures: {mtbf_days: 0.4, repair_h: 2}, maintenance: {every_days: 1, lasts_h: 1}}]\n"},
      {"schedulers", "schedulers: [1, 3]\nrefresh_interval_s: 60\n"},
      {"host_subset_size", "host_subset_size: [1, 2]\n"},
      {"reserve", "reserve: [none, '3:2:2']\nnotice_s: [0, 7200]\n"},
      {"signal",
       "signal: [obtainable:count=2:minutes=60, evicted:minutes=600]\n"
       "signal_every_minutes: 1440\nsignal_folds: 2\n"},
      {"on_eviction", "on_eviction: [lose, move]\nstate_size: 50%\nbandwidth_mb_s: 0.01\n"}};
  return parts;
}

const std::vector<const ProviderPreset*>& all_presets() {
  static const std::vector<const ProviderPreset*> presets{
      &compare_preset(), &life_preset(),   &levels_preset(), &schedulers_preset(),
      &sla_preset(),     &notice_preset(), &signals_preset()};
  return presets;
}

/// A folder with a workload that a file may name.
class WorkloadFolder {
 public:
  explicit WorkloadFolder(std::uint64_t seed) {
    workload_ = random_workload({.seed = seed, .requests = 150, .host = {12, 12, 0}, .hosts = 4});
    write_workload(workload_, folder_ / "w.csv", WorkloadSchema::kCospot);
  }

  [[nodiscard]] Experiment load(const ProviderPreset& preset, const std::string& text,
                                bool keeps_timeline = false) const {
    const StudyFile file = file_of(text);
    const ProviderStudy study(preset, file.root, keeps_timeline);
    return load_provider_experiment(study, study.table().read(file));
  }

  [[nodiscard]] StudyFile file_of(const std::string& text) const {
    return {.root = parse_yaml(text, "study.yaml"),
            .folder = folder_.path(),
            .window = std::nullopt,
            .policies = &none_};
  }

 private:
  ScratchFolder folder_;
  Workload workload_;
  mutable NoPythonPolicies none_;
};

/// The measures of all runs, in grid order.
std::vector<Measures> run_all(const Experiment& experiment) {
  const Grid grid = experiment.grid();
  std::vector<Measures> rows(grid.run_count());
  for (std::size_t i = 0; i < grid.group_count(); ++i) {
    const RunGroup group = grid.group(i);
    std::vector<std::size_t> runs;
    for (std::size_t run = 0; run < group.run_count; ++run) runs.push_back(group.first_run + run);
    experiment.run_group(group, runs, [&](std::size_t run, RunRecord record) {
      rows.at(run) = std::move(record.measures);
    });
  }
  return rows;
}

const Value& value_of(const Experiment& experiment, const Measures& row, std::string_view name) {
  const auto found = std::ranges::find(experiment.schema.measures, name, &Column::name);
  REQUIRE_MESSAGE(found != experiment.schema.measures.end(), std::string(name));
  return row.at(static_cast<std::size_t>(found - experiment.schema.measures.begin()));
}

bool is_in(std::string_view name, const std::vector<std::string_view>& names) {
  return std::ranges::find(names, name) != names.end();
}

std::string study_text_of(const ProviderPreset& preset,
                          const std::vector<std::string_view>& parts) {
  std::string text = preset.name == "sla" ? kTraces : kPolicies;
  for (const PartKeys& part : all_parts()) {
    const bool is_needed = is_in(part.name, preset.parts) && part.name != "host_subset_size";
    if (is_needed || is_in(part.name, parts)) text += part.keys;
  }
  return text + "seed: [1, 2]\n";
}

TEST_CASE("provider study: every part is known to these tests, and a short form to the registry") {
  std::vector<std::string_view> names;
  for (const StudyPart& part : study_parts()) names.push_back(part.name());
  std::vector<std::string_view> tested;
  for (const PartKeys& part : all_parts()) tested.push_back(part.name);
  CHECK(names == tested);
  std::set<std::string_view> presets{"degradation"};
  for (const ProviderPreset* preset : all_presets()) presets.insert(preset->name);
  std::set<std::string_view> registered;
  for (const Study& study : built_in_studies().all()) {
    if (study.provider != nullptr) registered.insert(study.name);
  }
  CHECK(presets == registered);
}

/// Checks that the days of each run come to what the run came to.
void check_days(ResultsDatabase& results) {
  const Schema& schema = results.schema();
  const auto sum_of = [&](const std::vector<std::vector<Value>>& days, std::string_view name) {
    const auto column = std::ranges::find(schema.timeline, name, &Column::name);
    const auto at = static_cast<std::size_t>(column - schema.timeline.begin());
    double sum = 0;
    for (const std::vector<Value>& day : days) {
      const Value& value = day.at(at);
      const auto* count = std::get_if<std::int64_t>(&value);
      sum += count != nullptr ? static_cast<double>(*count) : std::get<double>(value);
    }
    return sum;
  };
  results.for_each_row([&](const Row& row) {
    CAPTURE(row.run_index);
    const std::vector<std::vector<Value>> days = results.timeline_of(row.run_index);
    REQUIRE(days.size() == 100);  // of the window
    std::size_t compared = 0;
    for (std::size_t i = 0; i < schema.measures.size(); ++i) {
      const std::string& name = schema.measures[i].name;
      const Value& value = row.values[schema.axes.size() + i];
      if (name == "evictions") {
        // Some may be evicted before the window.
        CHECK(sum_of(days, name) <= static_cast<double>(std::get<std::int64_t>(value)));
      } else if (name == "vm_revenue" || name == "spot_revenue" || name == "economy_revenue") {
        CHECK(sum_of(days, name) == doctest::Approx(vcpu_seconds(std::get<Revenue>(value))));
        ++compared;
      }
    }
    CHECK(compared >= 2);
  });
}

TEST_CASE("provider study: every two parts combine in every short form, and its database opens") {
  const WorkloadFolder folder(5);
  const std::uint64_t one_in = one_case_in();
  std::uint64_t pair = 0;
  for (const ProviderPreset* preset : all_presets()) {
    ++pair;  // so that each has other pairs
    for (const PartKeys& one : all_parts()) {
      for (const PartKeys& other : all_parts()) {
        if (one.name >= other.name || pair++ % one_in != 0) continue;
        CAPTURE(preset->name);
        CAPTURE(one.name);
        CAPTURE(other.name);
        std::string text = study_text_of(*preset, {one.name, other.name});
        const bool draws = is_in("economy", preset->parts) || is_in("target", preset->parts) ||
                           is_in("host_subset_size", preset->parts) ||
                           text.find("target:") != std::string::npos ||
                           text.find("economy:") != std::string::npos ||
                           text.find("host_subset_size:") != std::string::npos;
        if (!draws) text.erase(text.find("seed: [1, 2]"));
        const Experiment experiment = folder.load(*preset, text, true);
        // The study's own columns come first, as they are without further parts.
        const std::vector<Column> own = ProviderStudy(*preset, {}).schema().measures;
        std::size_t in_common = 0;
        for (const Column& column : experiment.schema.measures) {
          if (in_common < own.size() && own[in_common].name == column.name) ++in_common;
        }
        const std::size_t detail_seed = preset->name == "compare" && draws ? 1 : 0;
        CHECK(in_common >= own.size() - 1 - detail_seed);
        NoProgress progress;
        ResultsDatabase results = run_in_memory(experiment, 2, progress);
        CHECK(results.finished_runs().size() == experiment.grid().run_count());
        check_days(results);
        // The views are made of columns that are there.
        SqliteStatement count(results.connection(), "SELECT count(*) FROM run_figures");
        REQUIRE(count.step());
        CHECK(count.read_integer() == static_cast<std::int64_t>(experiment.grid().run_count()));
      }
    }
  }
}

TEST_CASE("provider study: a run with all parts is that of a simulation put together by hand") {
  std::uint64_t evictions = 0, conflicts = 0, failures = 0, economies = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const WorkloadFolder folder(seed);
    const std::string text = std::string(kPolicies) +
                             "target: 0.2\nsamples: 50\neconomy: UTIL\neconomy_percent: 40\n"
                             "promise: unlimited\ndisruptions: {retries: {patience_s: 9000}, "
                             "failures: {mtbf_days: 0.4, repair_h: 2}}\nschedulers: 3\n"
                             "refresh_interval_s: 60\nhost_subset_size: 2\nseed: 7\n";
    const StudyFile file = folder.file_of(text);
    const ProviderStudy study(compare_preset(), file.root);
    const ProviderStudySettings settings = study.table().read(file);
    const Experiment experiment = load_provider_experiment(study, settings);
    const Measures row = run_all(experiment).front();

    const Workload workload = load_workload(settings.workloads.front());
    const EventSchedule schedule = make_schedule(workload, ScheduledClasses::kVmsAndSpots);
    RunSettings run{{.vm = settings.vm.front(),
                     .spot = settings.spot.front(),
                     .evictor = settings.evictors.front(),
                     .saf = true,
                     .otn = 2,
                     .between = {settings.economy_chains.front()}},
                    settings.host,
                    4};
    PolicyOptions promise = settings.promise;
    promise["target"] = 0.2;
    promise["seed"] = static_cast<double>(RunSeeds(7).samples >> 11);
    run.spot.filters.push_back({.name = "LifetimeSla", .options = promise});
    ProviderParts parts{.life = settings.lives.front(),
                        .schedulers = SchedulerSettings{.schedulers = 3,
                                                        .refresh_interval = SimTime{60'000'000},
                                                        .decision_time = SimTime{20'000},
                                                        .host_subset_size = 2,
                                                        .seed = 7},
                        .level_of = levels_of(workload, 40, 7)};
    ProviderRun expected(workload, schedule, run, settings.host.table(4), std::move(parts));
    expected.run();
    const LifeResult life = expected.result();
    const std::vector<LevelOutcome> levels = expected.engine().level_outcomes();
    const auto count = [&](const char* name) {
      return static_cast<std::uint64_t>(std::get<std::int64_t>(value_of(experiment, row, name)));
    };
    CHECK(count("vm_rejected") == life.run.vm_rejected);
    CHECK(count("spot_admitted") == life.run.spot_admitted);
    CHECK(count("evictions") == life.run.evictions);
    CHECK(count("host_failures") == life.host_failures);
    CHECK(count("vm_retries") == life.vm_retries);
    CHECK(count("vm_conflicts") == levels[0].conflicts);
    CHECK(count("economy_admitted") == levels[1].placed());
    CHECK((std::get<Revenue>(value_of(experiment, row, "vm_revenue")) == life.run.vm_revenue));
    CHECK((std::get<Revenue>(value_of(experiment, row, "spot_revenue")) == life.run.spot_revenue));
    CHECK((std::get<Revenue>(value_of(experiment, row, "economy_revenue")) == levels[1].revenue()));
    evictions += life.run.evictions;
    conflicts += levels[0].conflicts;
    failures += life.host_failures;
    economies += levels[1].placed();
  }
  // It is a question.
  CHECK(evictions > 20);
  CHECK(conflicts > 20);
  CHECK(failures > 20);
  CHECK(economies > 100);
}

TEST_CASE("provider study: what is asked for and absent is a run without it") {
  const WorkloadFolder folder(9);
  const Experiment plain = folder.load(compare_preset(), kPolicies);
  const Experiment with = folder.load(
      compare_preset(), std::string(kPolicies) +
                            "target: none\neconomy: UTIL\neconomy_percent: 0\n"
                            "promise: unlimited\ndisruptions: none\nhost_subset_size: 1\n");
  const Measures expected = run_all(plain).front(), row = run_all(with).front();
  for (const char* name : {"vm_rejected", "spot_admitted", "evictions"}) {
    CHECK(std::get<std::int64_t>(value_of(with, row, name)) ==
          std::get<std::int64_t>(value_of(plain, expected, name)));
  }
  for (const char* name : {"vm_revenue", "spot_revenue"}) {
    CHECK((std::get<Revenue>(value_of(with, row, name)) ==
           std::get<Revenue>(value_of(plain, expected, name))));
  }
}

TEST_CASE("provider study: what cannot be combined is refused, and errors name the parts") {
  const WorkloadFolder folder(1);
  const auto error = [&](const ProviderPreset& preset, const std::string& text) {
    return error_text<ConfigError>([&] { (void)folder.load(preset, text); });
  };
  const std::string vms =
      "workloads: w.csv\nhost: {vcpus: 12, memory_mb: 12}\nhosts: 4\nvm: COS\n"
      "host_subset_size: 2\n";
  CHECK(contains(
      error(degradation_preset(), vms + "disruptions: none\n"),
      "disruptions: found 'disruptions' in a study of 'degradation': it places VMs alone"));
  CHECK(contains(
      error(compare_preset(), std::string(kPolicies) + "seed: 1\n"),
      "unknown key 'seed'; valid names: study, prices, workloads, window_days, host, added_type, "
      "headroom_percent, hosts, headroom_of, vm, spot, evictor, saf, otn, target, "
      "economy, disruptions, schedulers, host_subset_size"));
  CHECK(contains(error(compare_preset(), std::string(kPolicies) + "life: none\n"),
                 "it is called 'disruptions' now"));
  // A part is asked for by any of its keys, and then needs the others that have no default.
  CHECK(contains(error(compare_preset(), std::string(kPolicies) + "decision_ms: 5\n"),
                 "missing key 'schedulers'"));
}

}  // namespace
}  // namespace cospot
