#include "sim_harness/studies/provider/parts/promise_plan.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "sim_harness/data/usage/workload_usage.hpp"

namespace cospot {
namespace {

EconomyInput vm_use(const Workload& workload, UsageResource resource,
                    const EconomySettings& settings) {
  // Logs of jobs may have no memory: all of it is free, whatever hosts have.
  std::optional<std::int64_t> capacity;
  if (resource == UsageResource::kMemoryMb &&
      std::ranges::none_of(workload.rows, [](const WorkloadRow& row) {
        return row.instance_class == InstanceClass::kVm && row.resources.memory_mb > 0;
      })) {
    capacity = 1;
  }
  return {.label = workload.name,
          .sha256 = workload.sha256,
          .name = workload.name,
          .periods = period_minima(usage_of_vms(workload, capacity, resource), settings.period())};
}

/// The promised amount of a resource over time in a datacenter that has `capacity` of it: at each
/// prediction, the amount that the VMs' use so far suggests. The first member is the time in
/// periods.
std::vector<std::pair<std::int64_t, std::int64_t>> promised_amounts(
    const EconomyInput& use, std::int64_t capacity, const EconomyClassSettings& settings,
    double confidence) {
  const EconomyInput input = use_on(use, capacity);
  const std::vector<CycleData> cycles = cycles_of(input, settings.economy);
  const std::vector<Forecast> forecasts =
      make_forecasts(settings.forecaster, cycles, settings.economy, 1);
  std::vector<std::pair<std::int64_t, std::int64_t>> amounts;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    const double share = promised_quantity(forecasts[i], settings.economy.promise_at(confidence));
    amounts.emplace_back(
        static_cast<std::int64_t>(cycles[i].cycle.begin) + input.periods.first,
        static_cast<std::int64_t>(std::floor(share * static_cast<double>(capacity))));
  }
  return amounts;
}

}  // namespace

VmUse vm_use_of(const Workload& workload, const EconomySettings& settings) {
  VmUse use{.vcpus = vm_use(workload, UsageResource::kVcpus, settings),
            .memory_mb = vm_use(workload, UsageResource::kMemoryMb, settings)};
  (void)cycles_of(use.vcpus, settings);  // too short: now, not in a run
  return use;
}

EconomyInput use_on(EconomyInput use, std::int64_t capacity, std::size_t periods) {
  SlackPeriods& all = use.periods;
  all.slack.resize(std::min(periods, all.size()));
  all.capacity.resize(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all.slack[i] += capacity * kSlackUnit - all.capacity[i];
    all.capacity[i] = capacity * kSlackUnit;
  }
  return use;
}

std::vector<PromiseStep> promise_steps(const VmUse& use, const HostMix::Sum& hosts,
                                       const EconomyClassSettings& settings, double confidence) {
  const auto vcpus = promised_amounts(use.vcpus, hosts.vcpus, settings, confidence);
  const auto memory = promised_amounts(use.memory_mb, hosts.memory_mb, settings, confidence);
  const SimTime period = settings.economy.period();
  const SimTime horizon = static_cast<std::int64_t>(settings.economy.cycles().horizon) * period;
  std::vector<PromiseStep> steps;
  for (std::size_t i = 0; i < vcpus.size(); ++i) {
    const SimTime from = vcpus[i].first * period;
    steps.push_back({.from = from,
                     .vcpus = vcpus[i].second,
                     .memory_mb = memory[i].second,
                     .until = from + horizon});
  }
  return steps;
}

}  // namespace cospot
