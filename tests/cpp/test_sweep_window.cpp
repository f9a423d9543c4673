#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "error_text.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/base/configuration/configuration_difference.hpp"
#include "sim_harness/base/configuration/flow_yaml.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/data/imports/workload_list.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"
#include "sim_harness/studies/study.hpp"
#include "sweep_fixtures.hpp"

namespace cospot {
namespace {

const std::string kOneSetting =
    "host: {vcpus: 8, memory_mb: 16}\n"
    "hosts: 2\n"
    "vm: UTIL\n"
    "spot: sUTIL\n"
    "evictor: FIFO\n"
    "saf: false\n"
    "otn: 1\n";

const std::string kTwoRequests =
    "instance_id,tenant_id,class,vcpus,memory_mb,start_s,end_s\n"
    "early,t,vm,1,1,-5,never\n"
    "s,t,spot,1,1,0,never\n";
/// Day 20, 1,728,000 s.
const std::string kLate = "late,t,vm,1,1,1728000,never\n";

Sweep read_with_setting(const ScratchFolder& folder, const std::string& text,
                        const std::vector<std::string>& overrides = {}) {
  return read_sweep(folder.write("s.yaml", text + kOneSetting), overrides);
}

std::vector<std::optional<SimTime>> windows(const Sweep& sweep) {
  std::vector<std::optional<SimTime>> stated;
  for (const WorkloadSpec& workload : sweep.workloads) stated.push_back(workload.window);
  return stated;
}

void run_whole_sweep(const Sweep& sweep, const ScratchFolder& folder, IfPresent if_present) {
  NoProgress progress;
  (void)run_experiment(load_comparison(sweep),
                       {.database = folder / "r.db", .if_present = if_present}, progress);
}

std::string resuming_error(const Sweep& sweep, const ScratchFolder& folder) {
  return error_text<DatabaseError>([&] { run_whole_sweep(sweep, folder, IfPresent::kResume); });
}

TEST_CASE("read_sweep: window_days of a workload, of all, and of the command") {
  const ScratchFolder folder;
  (void)folder.write("a.csv", kTwoRequests);
  const std::string three =
      "workloads: [a.csv, {path: a.csv, label: b, window_days: 7}, "
      "{synthetic: azure2020, window_days: 0.5}]\n";
  CHECK(windows(read_with_setting(folder, three)) ==
        std::vector<std::optional<SimTime>>{std::nullopt, 7 * kDay, std::chrono::hours(12)});
  CHECK(windows(read_with_setting(folder, three + "window_days: 30\n")) ==
        std::vector<std::optional<SimTime>>{30 * kDay, 7 * kDay, std::chrono::hours(12)});
  const Sweep sweep = read_with_setting(folder, three + "window_days: 30\n", {"window_days=28"});
  CHECK(windows(sweep) ==
        std::vector<std::optional<SimTime>>{28 * kDay, 7 * kDay, std::chrono::hours(12)});
  NoPythonPolicies none;
  const Sweep stated = read_sweep(folder / "s.yaml", {}, none, 3 * kDay);  // by the command
  CHECK(windows(stated) == std::vector<std::optional<SimTime>>(3, 3 * kDay));
  CHECK(contains(error_text<ConfigError>([&] {
                   (void)read_with_setting(folder, "workloads: [a.csv, {path: a.csv, label: b}]\n");
                 }),
                 "'b' has the same file as the earlier 'a.csv'"));
}

TEST_CASE("read_sweep: a window that is none is refused with its place") {
  const ScratchFolder folder;
  (void)folder.write("a.csv", kTwoRequests);
  for (const char* bad : {"0", "-1", ".nan", "nan", "inf", "10002", "thirty"}) {
    CHECK(contains(error_text<ConfigError>([&] {
                     (void)read_with_setting(
                         folder, "workloads: a.csv\nwindow_days: " + std::string(bad) + "\n");
                   }),
                   "s.yaml:2: window_days: found '" + std::string(bad) +
                       "', expected a number of days more than 0, at most 10001"));
  }
  for (const char* bad : {"[1, 2]", "{}", "", "'30'"}) {
    CHECK(contains(error_text<ConfigError>([&] {
                     (void)read_with_setting(folder, "workloads: {path: a.csv, window_days: " +
                                                         std::string(bad) + "}\n");
                   }),
                   "window_days: found "));
  }
}

TEST_CASE("sweep_json: has a window where it is stated, and reads back") {
  const ScratchFolder folder;
  (void)folder.write("a.csv", kTwoRequests);
  Sweep sweep = read_with_setting(folder, "workloads: [a.csv, {synthetic: azure2020}]\n");
  const std::string without = sweep_json(sweep);
  CHECK_FALSE(contains(without, "window_days"));
  for (WorkloadSpec& workload : sweep.workloads) workload.window = std::chrono::hours(36);
  const std::string with = sweep_json(sweep);
  CHECK(contains(with, R"({"path":"a.csv","window_days":1.5})"));
  CHECK(contains(with, R"("sampling":"batched","window_days":1.5,"label":)"));
  CHECK(describe_difference(without, with) == "workloads");
  const Json workloads = Json::parse(with)["workloads"];
  CHECK(flow_yaml(workloads[0]) == "{path: a.csv, window_days: 1.5}");
  const Sweep again = read_with_setting(folder, "workloads: " + flow_yaml(workloads) + "\n");
  CHECK(windows(again) == windows(sweep));
}

TEST_CASE("recorded_window: the default one only where it is stated") {
  CHECK(recorded_window({}, 14 * kDay) == std::nullopt);
  CHECK(recorded_window({}, 21 * kDay) == 21 * kDay);
  CHECK(recorded_window(14 * kDay, 14 * kDay) == 14 * kDay);
}

TEST_CASE("compare: another window is another sweep") {
  const ScratchFolder folder;
  (void)folder.write("a.csv", kTwoRequests);
  const Sweep plain = read_with_setting(folder, "workloads: a.csv\n");
  run_whole_sweep(plain, folder, IfPresent::kRefuse);
  CHECK(resuming_error(plain, folder).empty());
  const Sweep longer = read_with_setting(folder, "workloads: a.csv\nwindow_days: 30\n");
  CHECK(contains(resuming_error(longer, folder), "holds another study: it differs in workloads"));

  // Derived from the data: 21 days, which the record says although nobody stated them.
  (void)folder.write("a.csv", kTwoRequests + kLate);
  run_whole_sweep(plain, folder, IfPresent::kReplace);
  CHECK(resuming_error(plain, folder).empty());
  ResultsDatabase database(folder / "r.db");
  CHECK(contains(database.record().configuration, R"({"path":"a.csv","window_days":21})"));
  const ResultRow row = read_result_rows(database).at(0);
  CHECK(contains(row.configuration, R"({"path":"a.csv","window_days":21})"));
  // early runs from time 0 on for 21 days, late for 1, each with 1 vcpu.
  CHECK(row.result.vm_revenue == Revenue{22} * kDay.count());
  CHECK(row.result.vm_requests == 2);
  CHECK(contains(resuming_error(longer, folder), "it differs in workloads"));
  CHECK(contains(
      resuming_error(read_with_setting(folder, "workloads: a.csv\nwindow_days: 14\n"), folder),
      "it differs in workloads"));
}

TEST_CASE("load_provider_experiment: records the windows in force, and warns of each workload") {
  const ScratchFolder folder;
  (void)folder.write("a.csv", kTwoRequests + kLate);
  (void)folder.write("b.csv", "# window_days: 7\n" + kTwoRequests);
  const Sweep sweep =
      read_with_setting(folder, "workloads: [{path: a.csv, window_days: 20}, b.csv]\n");
  const Experiment made = load_comparison(sweep);
  CHECK(contains(made.configuration,
                 R"([{"path":"a.csv","window_days":20},{"path":"b.csv","window_days":7}])"));
  REQUIRE(made.warnings.size() == 1);
  CHECK(contains(made.warnings[0], "a.csv: 1 VM and 0 spots start at the window's end (day 20)"));
}

}  // namespace
}  // namespace cospot
