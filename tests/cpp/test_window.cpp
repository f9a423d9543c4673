#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/errors.hpp"
#include "engine_checks.hpp"
#include "error_text.hpp"
#include "random_workload.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/data/workloads/csv_workload.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/data/workloads/window.hpp"
#include "sim_harness/data/workloads/workload_info.hpp"
#include "sim_harness/data/workloads/workload_info_text.hpp"
#include "sim_harness/data/workloads/workload_sample.hpp"
#include "sim_harness/data/workloads/workload_schema.hpp"
#include "sim_harness/data/workloads/workload_writer.hpp"
#include "sim_harness/provider/explain/explain.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sim_harness/provider/sizing/datacenter_size.hpp"

namespace cospot {
namespace {

const std::string kHeader = "instance_id,tenant_id,class,vcpus,memory_mb,start_s,end_s\n";

WorkloadRow row_at(SimTime start, SimTime end = kNever) {
  static int number = 0;
  return {.id = "r" + std::to_string(number++),
          .tenant = "t",
          .resources = {2, 4},
          .start = start,
          .end = end};
}

std::string reading_error(const std::string& text) {
  return error_text<WorkloadError>([&] { (void)parse_workload(text, "w.csv"); });
}

/// The workload without the requests that come when its window is over.
Workload cut(Workload workload) {
  std::erase_if(workload.rows,
                [&](const WorkloadRow& row) { return row.start >= workload.window; });
  return workload;
}

TEST_CASE("derive_window: whole days with the last request inside, 14 at least") {
  const auto derived = [](SimTime last_start, SimTime end) {
    return derive_window(std::vector{row_at(-3 * kDay), row_at(last_start, end), row_at(kDay)});
  };
  CHECK(derive_window({}) == 14 * kDay);
  CHECK(derived(-5 * kDay, kNever) == 14 * kDay);  // all before time 0
  CHECK(derived(2 * kDay, kNever) == 14 * kDay);   // shorter than 14 days
  CHECK(derived(14 * kDay - SimTime(1), kNever) == 14 * kDay);
  CHECK(derived(14 * kDay, kNever) == 15 * kDay);  // at midnight: the day that begins
  CHECK(derived(29 * kDay + SimTime(1), kNever) == 30 * kDay);
  CHECK(derived(30 * kDay - SimTime(1), 30 * kDay) == 30 * kDay);
  CHECK(derived(13 * kDay, 89 * kDay) == 14 * kDay);  // who watches for ends records no more
  CHECK(derived(kMaxWorkloadTime, kNever) == 10'001 * kDay);  // the largest: still inside
  CHECK(derived(kMaxWorkloadTime, kNever) == kMaxWindow);
}

TEST_CASE("parse_window_days: a number of days, to the microsecond") {
  CHECK(parse_window_days("30") == 30 * kDay);
  CHECK(parse_window_days("0.5") == std::chrono::hours(12));
  CHECK(parse_window_days("10001") == kMaxWindow);
  // A microsecond is 1 / 86,400,000,000 = 1.157...e-11 days, half of it rounds to none.
  CHECK(parse_window_days("1.2e-11") == SimTime(1));
  for (const char* bad : {"", "0", "-1", "0.0", "1e-12", "nan", "inf", "-inf", "10001.1", "1e99",
                          "1e999", "30d", "thirty", "0x1E", "+30", " 30", "3 0", "30,0"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_window_days(bad).has_value());
  }
  for (const SimTime window : {SimTime(1), SimTime(1'207'008'000'001), 14 * kDay, kMaxWindow}) {
    CHECK(parse_window_days(window_days_text(window)) == window);
  }
  CHECK(window_days_text(30 * kDay) == "30");
  CHECK(window_days_text(std::chrono::hours(36)) == "1.5");
}

TEST_CASE("read_workload: a file states its window before the header line") {
  const std::string row = "a,t,vm,1,1,-1.5,3\n";
  for (const char* stated : {"# window_days: 30\n", "#window_days:30\r\n",
                             "#  window_days :  30 \n", "\xef\xbb\xbf# window_days: 30\n"}) {
    const Workload workload = parse_workload(stated + kHeader + row, "w.csv");
    CAPTURE(stated);
    CHECK(workload.window == 30 * kDay);
    CHECK(workload.window_is_stated);
    CHECK(workload.rows.size() == 1);
  }
  const Workload plain = parse_workload(kHeader + row, "w.csv");
  CHECK(plain.window == 14 * kDay);
  CHECK_FALSE(plain.window_is_stated);
  // 20 days are 1,728,000 s.
  CHECK(parse_workload(kHeader + "a,t,vm,1,1,1728000,never\n", "w.csv").window == 21 * kDay);
  // The release's schema has no place for a window; it is derived alike.
  const std::string release = "vmId,tenantId,cores,ram,vmTypeId,starttime,endtime\n";
  CHECK(parse_workload(release + "1,t,1,1,0,13.99,inf\n", "w.csv").window == 14 * kDay);
  CHECK(parse_workload(release + "1,t,1,1,0,29.5,inf\n", "w.csv").window == 30 * kDay);
  CHECK(reading_error("# window_days: 30\n" + release + "1,t,1,1,0,1,inf\n") ==
        "w.csv:1: the schema socc22 has no window_days; state it in the study file or with "
        "--window-days");
}

TEST_CASE("read_workload: a window that is none is refused, and lines are counted") {
  const std::string expected = ", expected a number of days more than 0, at most 10001";
  for (const char* bad : {"0", "-1", "nan", "inf", "thirty", "10002", ""}) {
    CHECK(reading_error("# window_days: " + std::string(bad) + "\n" + kHeader) ==
          "w.csv:1: window_days is '" + std::string(bad) + "'" + expected);
  }
  CHECK(reading_error("# window_dayz: 3\n" + kHeader) ==
        "w.csv:1: found '# window_dayz: 3', expected the header line, or before it '# KEY: VALUE' "
        "with the keys window_days, vcpus_unit");
  CHECK(reading_error("# window_days: 3\n# window_days: 3\n" + kHeader) ==
        "w.csv:2: window_days is stated on line 1 too");
  CHECK(reading_error("# window_days: 3\n") ==
        "w.csv:2: the file ends here, expected a header line with "
        "instance_id,tenant_id,class,vcpus,memory_mb,start_s,end_s or "
        "vmId,tenantId,vmTypeId,cores,ram,starttime,endtime, and requests");
  CHECK(reading_error("# window_days: 3\n" + kHeader) ==
        "w.csv:2: the file has a header line but no requests");
  CHECK(reading_error("# window_days: 3\ntime\n")
            .starts_with("w.csv:2: the header line has none of"));
  CHECK(reading_error("# window_days: 3\n" + kHeader + "a,t,vm,0,1,0,1\n")
            .starts_with("w.csv:3: vcpus is '0'"));
  CHECK(reading_error("# window_days: 3\n" + kHeader + "a,t,vm,1,1,0,1\na,t,vm,1,1,0,1\n") ==
        "w.csv:4: the id 'a' is that of line 3 too, expected unique ids");
}

TEST_CASE("write_workload: keeps the window, and says so only where it must") {
  const ScratchFolder folder;
  Workload workload{.name = "w", .rows = {row_at(SimTime(0)), row_at(20 * kDay, 25 * kDay)}};
  workload.window = derive_window(workload.rows);
  CHECK(format_workload(workload, WorkloadSchema::kCospot).starts_with("instance_id,"));
  for (const SimTime window : {21 * kDay, 30 * kDay, 14 * kDay, SimTime(1)}) {
    state_window(workload, window);
    for (const char* name : {"w.csv", "w.csv.gz"}) {
      write_workload(workload, folder / name, WorkloadSchema::kCospot);
      const Workload read = read_workload(folder / name);
      CHECK(read.window == window);
      CHECK(read.rows == workload.rows);
    }
  }
  state_window(workload, 30 * kDay);
  CHECK(format_workload(workload, WorkloadSchema::kCospot).starts_with("# window_days: 30\ninst"));
  CHECK(
      error_text<WorkloadError>(
          [&] { (void)format_workload(workload, WorkloadSchema::kSocc22); }) ==
      "the schema socc22 has no place for the window of 30 days, expected the one that is derived "
      "from the requests; give --window-days 21, or write the schema cospot");
  state_window(workload, 21 * kDay);
  CHECK(format_workload(workload, WorkloadSchema::kSocc22).starts_with("vmId,"));
}

TEST_CASE("sample_workload: has the window of its workload") {
  Workload workload{.name = "w", .rows = {row_at(SimTime(0)), row_at(20 * kDay)}};
  state_window(workload, 30 * kDay);
  const Workload sample = sample_workload(workload, Sampling::kBernoulli, 0.5, 1);
  CHECK(sample.window == 30 * kDay);
  CHECK(sample.window_is_stated);
}

TEST_CASE("load_workload: whoever asks comes before the file, the file before the data") {
  const ScratchFolder folder;
  WorkloadSpec spec{
      .label = "w", .file = folder.write("w.csv", kHeader + "a,t,vm,1,1,0,1\n"), .synthetic = {}};
  CHECK(load_workload(spec).window == 14 * kDay);
  (void)folder.write("w.csv", "# window_days: 7\n" + kHeader + "a,t,vm,1,1,0,1\n");
  CHECK(load_workload(spec).window == 7 * kDay);
  spec.window = 2 * kDay;
  CHECK(load_workload(spec).window == 2 * kDay);
  CHECK(load_workload(spec).window_is_stated);
}

TEST_CASE("window: requests after it change no result, size, bound or peak") {
  const ResourceVector host{10, 10, 0};
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Workload whole = random_workload({.seed = seed, .requests = 150, .host = host});
    state_window(whole, static_cast<std::int64_t>(seed) * 2 * kDay);  // days 2 to 16
    // Sizes have no answer when a VM is larger than the host; it may only be so after the window.
    std::erase_if(whole.rows, [&](const WorkloadRow& row) {
      return !row.resources.fits_in(host) && row.start < whole.window;
    });
    const Workload part = cut(whole);
    REQUIRE(part.rows.size() < whole.rows.size());
    const reference::Settings settings{.host = host, .hosts = 4, .evictor = "LPO", .otn = 2};
    const RunSettings run = run_settings_of(settings);
    const EventSchedule schedules[] = {make_schedule(whole), make_schedule(part)};
    RunResult results[2];
    for (int i = 0; i < 2; ++i) {
      SimulationEngine engine(schedules[i], HostTable::uniform(4, host), make_allocator(run));
      (void)engine.run();
      results[i] = engine.result();
    }
    check_same_result(results[0], results[1]);
    CHECK(results[0].vm_requests + results[0].spot_requests == part.rows.size());

    const auto size_of = [&](const Workload& workload) {
      return smallest_datacenter(workload, make_schedule(workload, ScheduledClasses::kVmsOnly),
                                 host, chain_of("COS"));
    };
    CHECK(size_of(whole).hosts == size_of(part).hosts);
    CHECK(size_of(whole).lower_bound == size_of(part).lower_bound);
    const PeakDemand peak = peak_demand(whole, Sees::kVmsAndSpots);
    CHECK(peak.amount == peak_demand(part, Sees::kVmsAndSpots).amount);
    CHECK(least_hosts(whole, peak, host).too_large == 0);
  }
}

TEST_CASE("window: at 0 % headroom no VM is rejected, whatever comes after it") {
  // One host of 10 holds the 4 vcpus until day 14; afterwards 40 are asked for at once.
  Workload workload{.name = "w"};
  const auto add = [&](ResourceAmount vcpus, SimTime start, SimTime end) {
    workload.rows.push_back(row_at(start, end));
    workload.rows.back().resources = {vcpus, 1};
  };
  add(4, SimTime(0), 20 * kDay);
  for (int i = 0; i < 4; ++i) add(10, 15 * kDay, 16 * kDay);
  const ResourceVector host{10, 10, 0};
  const auto hosts = [&] {
    return smallest_datacenter(workload, make_schedule(workload, ScheduledClasses::kVmsOnly), host,
                               chain_of("UTIL"))
        .hosts;
  };
  workload.window = derive_window(workload.rows);
  CHECK(workload.window == 16 * kDay);
  CHECK(hosts() == 5);  // 44 vcpus, of which 10 and 4 share no host
  state_window(workload, 14 * kDay);
  CHECK(hosts() == 1);
  const EventSchedule schedule = make_schedule(workload);
  CHECK(schedule.vm_requests == 1);
  CHECK(schedule.vm_revenue_requested == Revenue{4} * (14 * kDay).count());
}

TEST_CASE("find_request: a request after the window is in no run, and the error says so") {
  Workload workload{.name = "w", .rows = {row_at(SimTime(0)), row_at(15 * kDay)}};
  workload.rows[1].id = "late";
  CHECK(error_text<InputError>([&] { (void)find_request(workload, "late"); }) ==
        "--explain late: it starts after 15 days, but the window of workload 'w' ends after 14, so "
        "it is left out; expected a request before that, or a longer window_days");
  state_window(workload, 16 * kDay);
  CHECK(find_request(workload, "late") == 1);
}

TEST_CASE("window_warnings: what falls outside, a cold start, what nobody observed") {
  Workload workload{.name = "w.csv", .rows = {row_at(-kDay, kDay), row_at(13 * kDay, 14 * kDay)}};
  CHECK(window_warnings(workload).empty());

  workload.rows.push_back(row_at(14 * kDay));
  workload.rows.push_back(row_at(15 * kDay));
  workload.rows.back().instance_class = InstanceClass::kSpot;
  CHECK(window_warnings(workload) ==
        std::vector<std::string>{"w.csv: 1 VM and 1 spot start at the window's end (day 14) or "
                                 "later and are left out; a longer window_days takes them in"});

  Workload cold{.name = "c", .rows = {row_at(SimTime(0), 13 * kDay)}};
  REQUIRE(window_warnings(cold).size() == 1);
  CHECK(contains(window_warnings(cold)[0], "c: no request precedes time 0"));

  // Two VMs and a spot without an end, the last thing seen on day 7.5: they would earn 6.5 days.
  Workload week{.name = "h", .rows = {row_at(-kDay), row_at(kDay), row_at(kDay, 180 * kDay / 24)}};
  week.rows.push_back(row_at(kDay));
  week.rows.back().instance_class = InstanceClass::kSpot;
  CHECK(window_warnings(week) ==
        std::vector<std::string>{"h: nothing is observed after day 7.5, but 2 VMs and 1 spot "
                                 "without an end count as running until the window ends on day 14; "
                                 "state window_days"});
  state_window(week, 14 * kDay);  // whoever states it has observed it
  CHECK(window_warnings(week).empty());

  state_window(week, 91 * kDay);
  CHECK(window_warnings(week).empty());
  CHECK(window_warnings({}).empty());
}

TEST_CASE("workload_info: shows the window, where it is from and what is outside") {
  Workload workload{.name = "w", .rows = {row_at(SimTime(0), kDay), row_at(20 * kDay)}};
  const auto text = [&] { return workload_info_text(workload, describe_workload(workload, {})); };
  const auto json = [&] { return workload_info_json(workload, describe_workload(workload, {})); };
  CHECK(contains(text(), "window 14.000 d\n"));
  CHECK(contains(text(), "after the window                   1             0             1\n"));
  CHECK(contains(json(), "\"window_s\": 1209600, \"window_days\": 14, "));
  CHECK(contains(json(), "\"outside_window\": 1"));
  workload.window = derive_window(workload.rows);
  CHECK(contains(text(), "window 21.000 d (derived from the last request)\n"));
  CHECK_FALSE(contains(text(), "after the window"));
  CHECK(contains(json(), "\"window_stated\": false"));
  state_window(workload, 30 * kDay);
  CHECK(contains(text(), "window 30.000 d (stated)\n"));
  CHECK(contains(json(), "\"window_stated\": true"));
}

}  // namespace
}  // namespace cospot
