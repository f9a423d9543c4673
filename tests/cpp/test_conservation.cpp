#include <doctest/doctest.h>

#include "tests/cpp/event_log_checks.hpp"
#include "tests/cpp/random_workload.hpp"
#include "tests/cpp/reference_simulator.hpp"
#include "tests/cpp/settings_grid.hpp"
#include "tests/cpp/worked_scenarios.hpp"

namespace cospot::reference {
namespace {

using worked::day;

/// Random workloads of every kind: square, oblong and three-resource hosts.
std::vector<RandomWorkloadOptions> random_cases() {
  return {
      {.seed = 1, .requests = 60, .host = {10, 10, 0}, .hosts = 3},
      {.seed = 2, .requests = 150, .host = {10, 10, 0}, .hosts = 5},
      {.seed = 3, .requests = 100, .host = {8, 16, 0}, .hosts = 4},
      {.seed = 4, .requests = 80, .host = {12, 10, 20}, .hosts = 4},
      {.seed = 5, .requests = 40, .host = {7, 11, 0}, .hosts = 1},
  };
}

TEST_CASE("reference simulator: event logs of random runs hold together, over the whole grid") {
  for (const RandomWorkloadOptions& options : random_cases()) {
    const Workload workload = random_workload(options);
    CAPTURE(workload.name);
    std::uint64_t evictions = 0;
    std::uint64_t rejected = 0;
    for (const Settings& settings : settings_grid(options.host, options.hosts)) {
      CAPTURE(describe(settings));
      const Outcome outcome = simulate(workload, settings);
      CHECK(find_violations(workload, settings, outcome.events, outcome.result) ==
            std::vector<std::string>{});
      evictions += outcome.result.evictions;
      rejected += outcome.result.vm_rejected;
    }
    // A workload that puts nothing under pressure would prove nothing.
    CHECK(evictions > 0);
    CHECK(rejected > 0);
  }
}

/// r0 spot (6,6) on h0, evicted on day 1 by r1 VM (6,6), which ends on day 2; r2 VM (11,1) is
/// larger than a host. One host.
const Workload& small_workload() {
  static const Workload workload = worked::workload_of(
      {worked::spot({6, 6}), worked::vm({6, 6}, day(1), day(2)), worked::vm({11, 1}, day(3))});
  return workload;
}

TEST_CASE("event log checks: find what is wrong in a log") {
  const Settings settings{.host = {10, 10}, .hosts = 1};
  const Outcome right = simulate(small_workload(), settings);
  const auto is_wrong = [&](const std::vector<Event>& events, const RunResult& result) {
    return !find_violations(small_workload(), settings, events, result).empty();
  };
  // Placed r0, evicted r0, placed r1, ended r1, rejected r2.
  REQUIRE(right.events.size() == 5);
  CHECK_FALSE(is_wrong(right.events, right.result));
  for (std::size_t i = 0; i < right.events.size(); ++i) {
    CAPTURE(i);
    std::vector<Event> events = right.events;
    events.erase(events.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK(is_wrong(events, right.result));  // one event is missing
    events = right.events;
    events.push_back(events[i]);
    CHECK(is_wrong(events, right.result));  // one event came twice
    events = right.events;
    events[i].time += SimTime{1};
    CHECK(is_wrong(events, right.result));  // one event came late
  }
  RunResult result = right.result;
  result.spot_revenue += 1;
  CHECK(is_wrong(right.events, result));
  result = right.result;
  result.vm_revenue -= 1;
  CHECK(is_wrong(right.events, result));
}

TEST_CASE("event log checks: find an eviction that SAF or the offer should have avoided") {
  // r0 spot (6,6) -> h0; r1 VM (6,6) takes h0 and evicts it although h1 is empty: right without
  // SAF at OTN 1, wrong with SAF, and wrong when both hosts were offered.
  const Workload workload = worked::workload_of({worked::spot({6, 6}), worked::vm({6, 6}, day(1))});
  const Settings plain{.host = {10, 10}, .hosts = 2};
  const Outcome outcome = simulate(workload, plain);
  REQUIRE(outcome.result.evictions == 1);
  const auto violations = [&](const Settings& settings) {
    return find_violations(workload, settings, outcome.events, outcome.result).size();
  };
  Settings saf = plain;
  saf.saf = true;
  Settings all_offered = plain;
  all_offered.otn = 2;
  all_offered.evictor = "LPO";
  CHECK(violations(plain) == 0);
  CHECK(violations(saf) == 1);
  CHECK(violations(all_offered) == 1);
}

TEST_CASE("random workload: the same seed gives the same requests, another seed others") {
  const auto ends = [](std::uint64_t seed) {
    std::vector<std::int64_t> all;
    for (const WorkloadRow& row : random_workload({.seed = seed}).rows) {
      all.push_back(row.end.count());
      all.push_back(row.resources.memory_mb);
    }
    return all;
  };
  CHECK(ends(7) == ends(7));
  CHECK(ends(7) != ends(9));
}

TEST_CASE("random workload: has the rare cases it promises") {
  std::size_t zero_length = 0;
  std::size_t endless = 0;
  std::size_t early = 0;
  std::size_t too_large = 0;
  std::size_t equal_times = 0;
  std::size_t with_disk = 0;
  const RandomWorkloadOptions options{.seed = 3, .requests = 300, .host = {10, 10, 10}};
  const Workload workload = random_workload(options);
  for (std::size_t i = 0; i < workload.rows.size(); ++i) {
    const WorkloadRow& row = workload.rows[i];
    zero_length += row.start == row.end;
    endless += row.end == kNever;
    early += row.start < SimTime{0};
    too_large += !row.resources.fits_in(options.host);
    with_disk += row.resources.disk_gb > 0;
    for (std::size_t j = 0; j < i; ++j) equal_times += row.start == workload.rows[j].start;
  }
  CHECK(workload.rows.size() == 300);
  for (const std::size_t count : {zero_length, endless, early, too_large, with_disk, equal_times}) {
    CHECK(count > 0);
  }
}

}  // namespace
}  // namespace cospot::reference
