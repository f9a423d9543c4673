// A whole run: by the plain simulator of plain_simulator.cpp, which scans hosts one by one or by
// vector instructions; by the engine alone; and by the engine as a comparison uses it, with what
// the runs of a group have in common done once. Each iteration is one group: one VM and spot
// policy, both evictors, SAF off and on, six OTN. Counters: `a_run` is the mean time of its runs,
// `a_request` that of a request in a run. The results must be the same all ways.
// tests/bench/curve.py compares them.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/data/workloads/synthetic_workload.hpp"
#include "sim_harness/provider/loop/run_group.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sim_harness/provider/sizing/datacenter_size.hpp"
#include "tests/bench/plain_simulator.hpp"

namespace cospot {
namespace {

constexpr ResourceVector kHost{10400, 2250};

enum class Way { kPass, kPlain, kVectors, kAlone, kGroup };

/// Scales of zones, by the hosts that hold their VMs with 1 to 5 % to spare under each policy; the
/// largest are two zones.
const std::map<std::size_t, std::vector<double>> kZones{
    {100, {0.0029}}, {300, {0.0064}}, {528, {0.0115}}, {963, {0.019}},   {1115, {0.021}},
    {1582, {0.03}},  {3154, {0.06}},  {7578, {0.12}},  {30'000, {0.53}}, {100'000, {0.91, 0.91}}};

ChainSpec chain_of(const std::string& policy) {
  ChainSpec chain;
  chain.label = policy;
  chain.weighers.push_back({.name = policy});
  return chain;
}

struct BenchWorkload {
  EventSchedule schedule;
  std::map<std::string, std::size_t> hosts;  ///< by VM policy
};

/// A released workload when COSPOT_DATA names the folder of the data, else a generated one; on the
/// fewest hosts for the VMs and 2 % more.
BenchWorkload sized_workload() {
  const char* data = std::getenv("COSPOT_DATA");
  const Workload workload = load_workload(parse_workload_spec(
      data == nullptr
          ? "azure2020:seed=1:scale=0.002"
          : std::string(data) + "/azure2020-cospot/bernoulli/relevant-vm-1pcnt_0.csv.gz"));
  const EventSchedule vms = make_schedule(workload, ScheduledClasses::kVmsOnly);
  BenchWorkload sized{.schedule = make_schedule(workload), .hosts = {}};
  for (const char* vm : {"UTIL", "COS", "DPD"}) {
    const DatacenterSize size = smallest_datacenter(workload, vms, kHost, chain_of(vm));
    sized.hosts[vm] = with_headroom(size.hosts, 2);
  }
  return sized;
}

BenchWorkload zone_on(std::size_t hosts) {
  Workload zones;
  std::uint64_t seed = 0;
  for (const double scale : kZones.at(hosts)) {
    Workload zone = generate_workload({.seed = ++seed, .scale = scale});
    std::ranges::move(zone.rows, std::back_inserter(zones.rows));
  }
  return {.schedule = make_schedule(zones),
          .hosts = {{"UTIL", hosts}, {"COS", hosts}, {"DPD", hosts}}};
}

/// 0: the workload that decides how many hosts there are.
const BenchWorkload& bench_workload(std::size_t hosts) {
  static std::map<std::size_t, BenchWorkload> workloads;
  const auto known = workloads.find(hosts);
  if (known != workloads.end()) return known->second;
  return workloads.emplace(hosts, hosts == 0 ? sized_workload() : zone_on(hosts)).first->second;
}

std::vector<RunSettings> group_of(const BenchWorkload& workload, const std::string& vm,
                                  const std::string& spot) {
  std::vector<RunSettings> runs;
  for (const char* evictor : {"FIFO", "LPO"}) {
    for (const bool saf : {false, true}) {
      for (const std::size_t otn : {1U, 2U, 4U, 8U, 16U, 32U}) {
        runs.push_back({{.vm = chain_of(vm),
                         .spot = chain_of(spot),
                         .evictor = {.label = evictor, .name = evictor, .options = {}},
                         .saf = saf,
                         .otn = otn},
                        kHost,
                        workload.hosts.at(vm)});
      }
    }
  }
  return runs;
}

std::vector<RunResult> simulate_as_group(const EventSchedule& schedule,
                                         const std::vector<RunSettings>& runs) {
  const std::vector<AllocatorSpec> allocators(runs.begin(), runs.end());
  std::vector<RunResult> results(runs.size());
  simulate_group(schedule, kHost, runs.front().hosts, allocators,
                 [&](std::size_t run, const RunResult& result) { results[run] = result; });
  return results;
}

RunResult simulate_alone(const EventSchedule& schedule, const RunSettings& run) {
  SimulationEngine engine(schedule, run.host.table(run.hosts), make_allocator(run));
  engine.run();
  return engine.result();
}

std::vector<RunResult> simulate(const EventSchedule& schedule, const std::vector<RunSettings>& runs,
                                Way way) {
  if (way == Way::kGroup) return simulate_as_group(schedule, runs);
  std::vector<RunResult> results;
  for (const RunSettings& run : runs) {
    if (way == Way::kPass) {
      benchmark::DoNotOptimize(pass_over_hosts(schedule, run.hosts));
    } else if (way == Way::kAlone) {
      results.push_back(simulate_alone(schedule, run));
    } else {
      results.push_back(simulate_plainly(schedule, run, way == Way::kVectors));
    }
  }
  return results;
}

bool are_equal(const RunResult& a, const RunResult& b) {
  return a.vm_rejected == b.vm_rejected && a.spot_admitted == b.spot_admitted &&
         a.evictions == b.evictions && a.vm_revenue == b.vm_revenue &&
         a.spot_revenue == b.spot_revenue;
}

/// The plain simulator is the independent one: the others are compared with it.
void check(const std::string& policies, const EventSchedule& schedule,
           const std::vector<RunSettings>& runs, const std::vector<RunResult>& results) {
  static std::map<std::string, std::vector<RunResult>> expected;
  if (!expected.contains(policies)) expected[policies] = simulate(schedule, runs, Way::kPlain);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!are_equal(results[i], expected[policies][i])) {
      throw std::logic_error("a simulator and the plain one disagree on run " + std::to_string(i));
    }
  }
}

void measure(benchmark::State& state, Way way, const std::string& vm, const std::string& spot,
             std::size_t hosts) {
  const BenchWorkload& workload = bench_workload(hosts);
  const std::vector<RunSettings> runs = group_of(workload, vm, spot);
  std::vector<RunResult> results;
  for ([[maybe_unused]] auto _ : state) results = simulate(workload.schedule, runs, way);
  const auto mean_of = [&](double count) {
    return benchmark::Counter(
        count, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  };
  const auto requests =
      static_cast<double>(workload.schedule.vm_requests + workload.schedule.spot_requests);
  state.counters["a_run"] = mean_of(static_cast<double>(runs.size()));
  state.counters["a_request"] = mean_of(static_cast<double>(runs.size()) * requests);
  state.counters["hosts"] = static_cast<double>(runs.front().hosts);
  // Larger ones would take minutes.
  if (hosts == 0) check(vm + spot, workload.schedule, runs, results);
}

void register_ways(const std::string& vm, const std::string& spot, std::size_t hosts) {
  const auto add = [&](const std::string& name, Way way) {
    const std::string label = vm + "_" + spot + "/" + name +
                              (hosts == 0 ? std::string() : "/curve:" + std::to_string(hosts));
    benchmark::RegisterBenchmark(label.c_str(), [=](benchmark::State& state) {
      measure(state, way, vm, spot, hosts);
    })->Unit(benchmark::kMillisecond);
  };
  add("pass", Way::kPass);
  add("plain", Way::kPlain);
  add("vectors", Way::kVectors);
  add("engine", Way::kAlone);
  add("group", Way::kGroup);
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const std::string policy : {"UTIL", "COS", "DPD"}) {
    register_ways(policy, "s" + policy, 0);
    for (const auto& [hosts, scales] : kZones) register_ways(policy, "s" + policy, hosts);
  }
  register_ways("UTIL", "vmaCOS", 0);
  register_ways("COS", "vmaUTIL", 0);
  register_ways("DPD", "vmaDPD", 0);
  return true;
}();

}  // namespace
}  // namespace cospot
