// A whole run: by the plain simulator of plain_simulator.cpp, by the engine alone, and by the
// engine as a comparison uses it, with what the runs of a group have in common done once. Each
// iteration is one group: one VM and spot policy, both evictors, SAF off and on, six OTN. The
// counter a_run is the mean time of its runs; the results must be the same all three ways.

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/provider/loop/run_group.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sim_harness/provider/sizing/datacenter_size.hpp"
#include "tests/bench/plain_simulator.hpp"

namespace cospot {
namespace {

constexpr ResourceVector kHost{10400, 2250};

enum class Way { kPlain, kAlone, kGroup };

/// A released workload when COSPOT_DATA names the folder of the data, else a generated one.
struct BenchWorkload {
  Workload workload;
  EventSchedule schedule;
  EventSchedule vms;

  BenchWorkload() {
    const char* data = std::getenv("COSPOT_DATA");
    workload = load_workload(parse_workload_spec(
        data == nullptr
            ? "azure2020:seed=1:scale=0.002"
            : std::string(data) + "/azure2020-cospot/bernoulli/relevant-vm-1pcnt_0.csv.gz"));
    schedule = make_schedule(workload);
    vms = make_schedule(workload, ScheduledClasses::kVmsOnly);
  }
};

const BenchWorkload& bench_workload() {
  static const BenchWorkload workload;
  return workload;
}

ChainSpec chain_of(const std::string& policy) {
  ChainSpec chain;
  chain.label = policy;
  chain.weighers.push_back({.name = policy});
  return chain;
}

std::vector<RunSettings> group_of(const std::string& vm, const std::string& spot,
                                  double headroom_percent) {
  const BenchWorkload& bench = bench_workload();
  const std::size_t least =
      smallest_datacenter(bench.workload, bench.vms, kHost, chain_of(vm)).hosts;
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
                        with_headroom(least, headroom_percent)});
      }
    }
  }
  return runs;
}

std::vector<RunResult> simulate_as_group(const std::vector<RunSettings>& runs) {
  const std::vector<AllocatorSpec> allocators(runs.begin(), runs.end());
  std::vector<RunResult> results(runs.size());
  simulate_group(bench_workload().schedule, kHost, runs.front().hosts, allocators,
                 [&](std::size_t run, const RunResult& result) { results[run] = result; });
  return results;
}

std::vector<RunResult> simulate_each(const std::vector<RunSettings>& runs, Way way) {
  std::vector<RunResult> results;
  for (const RunSettings& run : runs) {
    if (way == Way::kPlain) {
      results.push_back(simulate_plainly(bench_workload().schedule, run));
    } else {
      SimulationEngine engine(bench_workload().schedule, run.host.table(run.hosts),
                              make_allocator(run));
      engine.run();
      results.push_back(engine.result());
    }
  }
  return results;
}

bool are_equal(const RunResult& a, const RunResult& b) {
  return a.vm_rejected == b.vm_rejected && a.spot_admitted == b.spot_admitted &&
         a.evictions == b.evictions && a.vm_revenue == b.vm_revenue &&
         a.spot_revenue == b.spot_revenue;
}

void simulate(benchmark::State& state, Way way, const char* vm, const char* spot) {
  const std::vector<RunSettings> runs = group_of(vm, spot, 2);
  std::vector<RunResult> results;
  for ([[maybe_unused]] auto _ : state) {
    results = way == Way::kGroup ? simulate_as_group(runs) : simulate_each(runs, way);
  }
  state.counters["a_run"] = benchmark::Counter(
      static_cast<double>(runs.size()),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  // The plain simulator is the independent one: the others are compared with it, once.
  if (way == Way::kPlain) return;
  const std::vector<RunResult> expected = simulate_each(runs, Way::kPlain);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!are_equal(results[i], expected[i])) {
      throw std::logic_error("the engine and the plain simulator disagree on run " +
                             std::to_string(i));
    }
  }
}

void register_ways(const char* vm, const char* spot) {
  const auto add = [vm, spot](const char* name, Way way) {
    const std::string label = std::string(vm) + "_" + spot + "/" + name;
    benchmark::RegisterBenchmark(label.c_str(), [vm, spot, way](benchmark::State& state) {
      simulate(state, way, vm, spot);
    })->Unit(benchmark::kMillisecond);
  };
  add("plain", Way::kPlain);
  add("engine", Way::kAlone);
  add("group", Way::kGroup);
}

[[maybe_unused]] const bool kRegistered = [] {
  register_ways("UTIL", "sUTIL");
  register_ways("UTIL", "vmaCOS");
  register_ways("COS", "sCOS");
  register_ways("COS", "vmaUTIL");
  register_ways("DPD", "sDPD");
  register_ways("DPD", "vmaDPD");
  return true;
}();

}  // namespace
}  // namespace cospot
