#include <benchmark/benchmark.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "guarantees/sla/lifetime_estimate.hpp"
#include "sim_harness/data/workloads/renewal_workload.hpp"
#include "sim_harness/provider/forecasts/lifetime_forecast.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"

// One refresh of the lifetime quantiles, from scratch, at the end of a trace.

namespace cospot {
namespace {

/// What a trace leaves behind: the history of on-demand VMs and spots under first fit.
struct Recorded {
  History history;
  LifetimeEstimateSettings settings;
  SimTime now;
};

Recorded record(const Workload& on_demand, Workload spots, std::size_t hosts,
                const ResourceVector& host) {
  Workload workload = on_demand;
  for (WorkloadRow& row : spots.rows) {
    row.instance_class = InstanceClass::kSpot;
    workload.rows.push_back(std::move(row));
  }
  const EventSchedule schedule = make_schedule(workload);
  const ChainSpec first_fit{.label = "FirstFit", .weighers = {{.name = "FirstFit"}}};
  const AllocatorSpec settings{
      .vm = first_fit,
      .spot = first_fit,
      .evictor = {.label = "YJF", .name = "YJF", .options = {{"score", "age"}}},
      .saf = true,
      .otn = OfferRule(hosts)};
  HistoryRecorder recorder(schedule.start.size(), std::vector<ResourceVector>(hosts, host),
                           {.refresh = kNever});
  SimulationEngine engine(schedule, HostTable::uniform(hosts, host), make_allocator(settings));
  engine.set_forecasts(&recorder);
  engine.run();
  LifetimeEstimateSettings estimate{.sizes = spot_sizes(schedule), .probabilities = {0.01}};
  return {recorder.history(), estimate, workload.window};
}

void refresh(benchmark::State& state, const Recorded& recorded) {
  LifetimeEstimateSettings settings = recorded.settings;
  settings.samples = static_cast<std::size_t>(state.range(0));
  std::uint64_t number = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        estimate_lifetimes(recorded.history, settings, SimTime{0}, recorded.now, number++));
  }
  state.counters["events"] = static_cast<double>(recorded.history.events().size());
  state.counters["sizes"] = static_cast<double>(settings.sizes.size());
}

/// The paper's synthetic set-up: 10 days, 8 hosts of 4 vcpus, instances of one vcpu.
void bench_synthetic(benchmark::State& state) {
  refresh(state, record(generate_lognormal({}, 1), generate_lognormal({}, 2), 8, {4, 1, 0}));
}
BENCHMARK(bench_synthetic)->Arg(1'000)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

/// Like the paper's C-D: 31 hosts of 32 vcpus, six sizes of spots.
void bench_production(benchmark::State& state) {
  refresh(state, record(generate_stand_in(find_stand_in("ds5"), 1),
                        generate_stand_in(find_stand_in("ds6"), 2), 31, {32, 1, 0}));
}
BENCHMARK(bench_production)->Arg(1'000)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cospot
