#include <doctest/doctest.h>
#include <fmt/ranges.h>

#include <map>
#include <sstream>

#include "sim_harness/base/files/gzip.hpp"
#include "sim_harness/data/workloads/workload_fields.hpp"
#include "sim_harness/provider/explain/event_log.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "tests/cpp/event_log_checks.hpp"
#include "tests/cpp/random_workload.hpp"
#include "tests/cpp/scratch_folder.hpp"
#include "tests/cpp/worked_scenarios.hpp"

namespace cospot {
namespace {

using reference::Event;
using reference::EventKind;
using reference::Settings;

constexpr const char* kEventsHeader =
    "time_s,event,instance_id,class,vcpus,memory_mb,disk_gb,host,place_in_offer,for_instance_id";

/// A row as its reader finds it.
struct LoggedRow {
  SimTime time{0};
  std::string event;
  std::string instance;
  bool is_spot = false;
  ResourceVector resources;
  std::string host;
  std::string place_in_offer;
  std::string for_instance;
};

std::vector<std::string> fields_of_row(const std::string& line) {
  std::vector<std::string> fields(1);
  for (const char character : line) {
    if (character == ',') {
      fields.emplace_back();
    } else {
      fields.back() += character;
    }
  }
  return fields;
}

std::vector<LoggedRow> parse_log(const std::string& text) {
  std::istringstream lines(text);
  std::string line;
  REQUIRE(std::getline(lines, line));
  REQUIRE(line == kEventsHeader);
  std::vector<LoggedRow> rows;
  while (std::getline(lines, line)) {
    const std::vector<std::string> fields = fields_of_row(line);
    REQUIRE(fields.size() == 10);
    LoggedRow row{.event = fields[1],
                  .instance = fields[2],
                  .is_spot = fields[3] == "spot",
                  .resources = {std::stoi(fields[4]), std::stoi(fields[5]), std::stoi(fields[6])},
                  .host = fields[7],
                  .place_in_offer = fields[8],
                  .for_instance = fields[9]};
    const std::optional<SimTime> time = parse_seconds(fields[0]);
    REQUIRE(time.has_value());
    row.time = *time;
    REQUIRE((row.is_spot || fields[3] == "vm"));
    rows.push_back(row);
  }
  return rows;
}

Allocator logged_allocator(const Settings& settings) {
  const auto chain = [](const std::string& name) {
    return ChainSpec{.label = name, .weighers = {{.name = name}}};
  };
  return make_allocator({.vm = chain(settings.vm),
                         .spot = chain(settings.spot),
                         .evictor = {.label = settings.evictor, .name = settings.evictor},
                         .saf = settings.saf,
                         .otn = settings.otn});
}

struct LoggedRun {
  std::string text;
  RunResult result;
};

LoggedRun run_logged(const Workload& workload, const Settings& settings,
                     const std::filesystem::path& file) {
  const EventSchedule schedule = make_schedule(workload);
  SimulationEngine engine(schedule, HostTable::uniform(settings.hosts, settings.host),
                          logged_allocator(settings));
  EventLog log(file, workload, engine.hosts());
  engine.set_observer(&log);
  engine.run();
  CHECK_FALSE(std::filesystem::exists(file));
  log.finish();
  const std::string bytes = ScratchFolder::read(file);
  CHECK(is_gzip(bytes) == (file.extension() == ".gz"));
  return {is_gzip(bytes) ? unpack_gzip(bytes).text : bytes, engine.result()};
}

Revenue earned_between(const LoggedRow& placement, SimTime end, SimTime window) {
  const SimTime from = std::max(placement.time, SimTime(0));
  const SimTime to = std::min(end, window);
  return to <= from ? Revenue{0} : Revenue{placement.resources.vcpus} * (to - from).count();
}

/// Counts and revenue from the rows alone, as docs/event-log-format.md says.
void check_log_conserves(const std::vector<LoggedRow>& rows, const RunResult& result,
                         SimTime window) {
  std::map<std::pair<std::string, bool>, std::uint64_t> counts;
  std::map<std::string, LoggedRow> running;
  Revenue revenue[2] = {0, 0};
  for (const LoggedRow& row : rows) {
    ++counts[{row.event, row.is_spot}];
    if (row.event == "placement") CHECK(running.emplace(row.instance, row).second);
    if (row.event != "departure" && row.event != "eviction") continue;
    const auto started = running.find(row.instance);
    REQUIRE(started != running.end());
    CHECK(started->second.host == row.host);
    revenue[row.is_spot ? 1 : 0] += earned_between(started->second, row.time, window);
    running.erase(started);
  }
  for (const auto& [id, row] : running) {
    revenue[row.is_spot ? 1 : 0] += earned_between(row, window, window);
  }
  for (const bool spot : {false, true}) {
    CHECK(counts[{"request", spot}] == counts[{"placement", spot}] + counts[{"rejection", spot}]);
  }
  CHECK(counts[{"request", false}] == result.vm_requests);
  CHECK(counts[{"request", true}] == result.spot_requests);
  CHECK(counts[{"rejection", false}] == result.vm_rejected);
  CHECK(counts[{"placement", true}] == result.spot_admitted);
  CHECK(counts[{"eviction", true}] == result.evictions);
  CHECK(counts[{"eviction", false}] == 0);
  CHECK(counts[{"offer", true}] == 0);
  CHECK((revenue[0] == result.vm_revenue));
  CHECK((revenue[1] == result.spot_revenue));
}

/// Every VM that gets a host gets an offered one; evictions name the VM they make room for.
void check_handshakes(const std::vector<LoggedRow>& rows, std::size_t otn) {
  std::vector<std::string> offered;
  std::string requested;
  std::string made_room_on;
  for (const LoggedRow& row : rows) {
    if (row.event == "request") {
      requested = row.instance;
      offered.clear();
      made_room_on.clear();
    } else if (row.event == "offer") {
      offered.push_back(row.host);
      CHECK(row.instance == requested);
      CHECK(row.place_in_offer == std::to_string(offered.size()));
      CHECK(offered.size() <= otn);
    } else if (row.event == "eviction") {
      CHECK(row.for_instance == requested);
      made_room_on = row.host;
    } else if (row.event == "placement") {
      CHECK(row.instance == requested);
      if (!row.is_spot) CHECK(std::find(offered.begin(), offered.end(), row.host) != offered.end());
      if (!made_room_on.empty()) CHECK(row.host == made_room_on);
    }
    CHECK((row.event == "eviction") == !row.for_instance.empty());
    CHECK((row.event == "offer") == !row.place_in_offer.empty());
    CHECK((row.event == "request" || row.event == "rejection") == row.host.empty());
  }
}

/// The rows in the terms of the independent replay.
std::vector<Event> to_events(const std::vector<LoggedRow>& rows, const Workload& workload) {
  std::map<std::string, InstanceIndex> index;
  for (const WorkloadRow& row : workload.rows) {
    index.emplace(row.id, static_cast<InstanceIndex>(index.size()));
  }
  const std::map<std::string, EventKind> kinds{{"placement", EventKind::kPlaced},
                                               {"rejection", EventKind::kRejected},
                                               {"eviction", EventKind::kEvicted},
                                               {"departure", EventKind::kEnded}};
  std::vector<Event> events;
  for (const LoggedRow& row : rows) {
    const auto kind = kinds.find(row.event);
    if (kind == kinds.end()) continue;
    const HostIndex host = row.host.empty()
                               ? kNoHost
                               : static_cast<HostIndex>(std::stoul(row.host.substr(5)));  // host-7
    events.push_back({row.time, kind->second, index.at(row.instance), host});
  }
  return events;
}

TEST_CASE("EventLog: says what happened, in a scenario worked by hand") {
  // One host of (10, 10): r0 spot (6, 6) from day 0; r1 VM (6, 6) evicts it on day 1 and leaves on
  // day 2; r2 VM (11, 1) is larger than a host.
  Workload workload =
      worked::workload_of({worked::spot({6, 6}), worked::vm({6, 6}, worked::day(1), worked::day(2)),
                           worked::vm({11, 1}, worked::day(2.5))});
  for (std::size_t i = 0; i < 3; ++i) workload.rows[i].id = "r" + std::to_string(i);
  const ScratchFolder folder;
  const LoggedRun run = run_logged(workload, {.host = {10, 10}, .hosts = 1}, folder / "events.csv");
  CHECK(run.text == std::string(kEventsHeader) +
                        "\n0,request,r0,spot,6,6,0,,,\n"
                        "0,placement,r0,spot,6,6,0,host-0,,\n"
                        "86400,request,r1,vm,6,6,0,,,\n"
                        "86400,offer,r1,vm,6,6,0,host-0,1,\n"
                        "86400,eviction,r0,spot,6,6,0,host-0,,r1\n"
                        "86400,placement,r1,vm,6,6,0,host-0,,\n"
                        "172800,departure,r1,vm,6,6,0,host-0,,\n"
                        "216000,request,r2,vm,11,1,0,,,\n"
                        "216000,rejection,r2,vm,11,1,0,,,\n");
}

TEST_CASE("EventLog: counts, revenue and handshakes hold in the logs of random runs") {
  const std::vector<Settings> all{
      {{}, 0, "UTIL", "sUTIL", "FIFO", false, 1}, {{}, 0, "COS", "sDPD", "LPO", false, 4},
      {{}, 0, "DPD", "vmaCOS", "LPO", true, 2},   {{}, 0, "UTIL", "vmaUTIL", "YJF", true, 32},
      {{}, 0, "COS", "sCOS", "FIFO", false, 32},
  };
  const ScratchFolder folder;
  std::uint64_t evictions = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const RandomWorkloadOptions options{
        .seed = seed, .requests = 150, .host = {12, 10, 20}, .hosts = 4};
    const Workload workload = random_workload(options);
    Settings settings = all[seed % all.size()];
    settings.host = options.host;
    settings.hosts = options.hosts;
    CAPTURE(seed);
    const std::string name = std::to_string(seed) + (seed % 3 == 0 ? ".csv.gz" : ".csv");
    const LoggedRun run = run_logged(workload, settings, folder / name);
    const std::vector<LoggedRow> rows = parse_log(run.text);
    check_log_conserves(rows, run.result, workload.window);
    check_handshakes(rows, settings.otn);
    const std::vector<std::string> violations =
        find_violations(workload, settings, to_events(rows, workload), run.result);
    CHECK(fmt::format("{}", fmt::join(violations, "; ")) == "");
    evictions += run.result.evictions;
  }
  CHECK(evictions > 100);
}

}  // namespace
}  // namespace cospot
