#include <doctest/doctest.h>

#include <stdexcept>

#include "core/errors.hpp"
#include "sim_harness/provider/explain/explain_text.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "tests/cpp/explain_fixtures.hpp"
#include "tests/cpp/random_workload.hpp"

namespace cospot {
namespace {

using worked::day;
using worked::vm;

TEST_CASE("explain_next: shows the normalised parts of a weighted sum") {
  // i1 (8,6) finds too few vcpus on host-0. Then free memory_mb is 8 on host-0 and 4 on host-1,
  // free vcpus are 4 and 2. Nova clamps both at 0, so the parts are weight / largest x multiplier:
  // 8/8 x 1 and 4/4 x -2, together -1; 4/8 x 1 and 2/4 x -2, together -0.5.
  const Workload workload =
      worked::workload_of({vm({6, 2}), vm({8, 6}, day(1)), vm({1, 1}, day(2))});
  RunSettings settings = run_settings_of({{10, 10}, 2, "UTIL", "sUTIL", "FIFO", false, 1});
  settings.vm = {.label = "sum",
                 .weighers = {{.name = "RAMWeigher"}, {.name = "CPUWeigher", .multiplier = -2}}};
  const Explanation explanation = explain(workload, settings, 2);
  REQUIRE(explanation.hosts.size() == 2);
  CHECK(explanation.weights_are_summed);
  const std::vector<double> weights_of_host_0{8, 4};
  const std::vector<double> parts_of_host_0{1, -2};
  const std::vector<double> parts_of_host_1{0.5, -1};
  CHECK(explanation.hosts[0].name == "host-1");
  CHECK((explanation.hosts[0].parts == parts_of_host_1));
  CHECK(explanation.hosts[0].ranked.weight == -0.5);
  CHECK((explanation.hosts[1].parts == parts_of_host_0));
  CHECK((explanation.hosts[1].weights == weights_of_host_0));
  CHECK(explanation.hosts[1].ranked.weight == -1);
  const std::string text = explanation_text(explanation, workload);
  CHECK(text.find("RAMWeigher  part x 1  CPUWeigher  part x -2  weight") != std::string::npos);
}

bool same_hosts(const HostTable& a, const HostTable& b) {
  for (HostIndex host = 0; host < a.size(); ++host) {
    if (a.free(host, Sees::kVms) != b.free(host, Sees::kVms)) return false;
    if (a.free(host, Sees::kVmsAndSpots) != b.free(host, Sees::kVmsAndSpots)) return false;
  }
  return a.size() == b.size();
}

/// Explains every request of a run. The engine confirms each one, watched by decide_as_explained
/// (which throws), and unwatched, when it decides lazily. Returns the winners by row.
std::vector<HostIndex> explain_all(const Workload& workload, const RunSettings& settings) {
  const EventSchedule schedule = make_schedule(workload);
  SimulationEngine engine(schedule, make_hosts(settings), make_allocator(settings));
  std::vector<HostIndex> winners(workload.rows.size(), kNoHost);
  const std::vector<InstanceIndex> order = reference::arrival_order(workload);
  for (std::size_t i = 0; i < order.size(); ++i) {
    REQUIRE(engine.run({.arrival = order[i]}) == RunPause::kArrival);
    SimulationEngine unwatched(engine, engine.allocator());
    const Explanation explanation = explain_next(engine, settings);
    winners[order[i]] = explanation.winner;
    decide_as_explained(engine, schedule, explanation, nullptr);
    if (i + 1 == order.size()) break;
    unwatched.run({.arrival = order[i + 1]});
    REQUIRE(same_hosts(engine.hosts(), unwatched.hosts()));
    REQUIRE_FALSE(explanation_text(explanation, workload).empty());
  }
  return winners;
}

TEST_CASE("explain_next: names the host that the engine and the reference simulator pick") {
  const ResourceVector host{12, 10, 20};
  const std::vector<reference::Settings> all{
      {host, 4, "UTIL", "sUTIL", "FIFO", false, 1},  {host, 4, "COS", "sDPD", "FIFO", false, 3},
      {host, 4, "COS", "sCOS", "LPO", false, 32},    {host, 4, "DPD", "vmaCOS", "LPO", true, 2},
      {host, 4, "UTIL", "vmaUTIL", "LPO", false, 2}, {host, 4, "DPD", "vmaDPD", "YJF", true, 1},
  };
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    const Workload workload =
        random_workload({.seed = seed, .requests = 120, .host = host, .hosts = 4});
    const reference::Settings& settings = all[seed % all.size()];
    CHECK(explain_all(workload, run_settings_of(settings)) ==
          reference::simulate(workload, settings).placements);
  }
}

TEST_CASE("explain_next: names the host that is picked from offers of any rule") {
  const ResourceVector host{12, 10, 20};
  const char* const policies[] = {"UTIL", "COS", "DPD", "SpotHour"};
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    CAPTURE(seed);
    const Workload workload =
        random_workload({.seed = seed, .requests = 120, .host = host, .hosts = 4});
    reference::Settings settings{host, 4, policies[seed % 4], "sDPD", "LPO", seed % 5 == 0};
    if (seed % 2 == 0) settings.epsilon = 0.3183;
    settings.adaptive = reference::AdaptiveOffer{4, 1, 0.3, 0.9};
    CHECK(explain_all(workload, run_settings_of(settings)) ==
          reference::simulate(workload, settings).placements);
  }
}

TEST_CASE("explain_next: names the host that the engine picks by weighted sums") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const ResourceVector host{10, 12, 0};
    const Workload workload =
        random_workload({.seed = seed, .requests = 120, .host = host, .hosts = 5});
    RunSettings settings = run_settings_of(
        {host, 5, "COS", "sDPD", seed % 2 == 0 ? "LPO" : "FIFO", seed % 3 == 0, 1 + seed % 4});
    settings.vm = {.label = "sum",
                   .weighers = {{.name = "RAMWeigher", .multiplier = 1.5},
                                {.name = "CPUWeigher", .multiplier = -0.7},
                                {.name = "COS", .multiplier = 0.1}}};
    settings.spot = {.label = "minus", .weighers = {{.name = "sUTIL", .multiplier = -1}}};
    (void)explain_all(workload, settings);
  }
}

TEST_CASE("decide_as_explained: does not let a wrong explanation pass") {
  const Workload workload = contended();
  const RunSettings settings = run_settings_of({{10, 10}, 3, "UTIL", "FirstFit", "FIFO", false, 2});
  const EventSchedule schedule = make_schedule(workload);
  const auto decide = [&](const auto& tamper) {
    SimulationEngine engine(schedule, make_hosts(settings), make_allocator(settings));
    engine.run({.arrival = 4});
    Explanation explanation = explain_next(engine, settings);
    tamper(explanation);
    decide_as_explained(engine, schedule, explanation, nullptr);
  };
  CHECK_NOTHROW(decide([](Explanation&) {}));
  CHECK_THROWS_AS(decide([](Explanation& told) { told.winner = 0; }), std::logic_error);
  CHECK_THROWS_AS(decide([](Explanation& told) { told.winner = kNoHost; }), std::logic_error);
  CHECK_THROWS_AS(decide([](Explanation& told) { told.hosts[1].victims.clear(); }),
                  std::logic_error);
}

TEST_CASE("find_request: finds a row by its id, or shows what ids look like") {
  const Workload workload = contended();
  CHECK(find_request(workload, "i3") == 3);
  CHECK_THROWS_WITH_AS((void)find_request(workload, "3"),
                       "--explain 3: none of the 5 requests of workload 'worked by hand' has this "
                       "id; its ids look like 'i0' (the first) and 'i4' (the last)",
                       InputError);
  CHECK_THROWS_AS((void)find_request(Workload{}, "3"), InputError);
}

}  // namespace
}  // namespace cospot
