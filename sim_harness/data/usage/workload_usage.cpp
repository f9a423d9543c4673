#include "sim_harness/data/usage/workload_usage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/errors.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"

namespace cospot {
namespace {

/// The changes of the amount in use, by time.
std::map<SimTime, std::int64_t> changes_of_vms(const Workload& workload, UsageResource resource) {
  std::map<SimTime, std::int64_t> changes;
  StopPoll poll;
  for (const WorkloadRow& row : workload.rows) {
    poll.check();
    const SimTime start = std::max(row.start, SimTime(0));
    const SimTime end = std::min(row.end, workload.window);
    if (row.instance_class != InstanceClass::kVm || start >= end) continue;
    const ResourceAmount amount =
        resource == UsageResource::kVcpus ? row.resources.vcpus : row.resources.memory_mb;
    changes[start] += amount;
    changes[end] -= amount;
  }
  return changes;
}

}  // namespace

UsageSeries usage_of_vms(const Workload& workload, std::optional<std::int64_t> capacity,
                         UsageResource resource) {
  UsageSeries usage{
      .name = workload.name, .sha256 = workload.sha256, .samples = {}, .holds_until_next = true};
  std::int64_t used = 0, peak = 0;
  const auto changes = changes_of_vms(workload, resource);
  for (const auto& [time, change] : changes) {
    if (usage.samples.empty() && time > SimTime(0)) usage.samples.push_back({});
    if (time > SimTime(0) && time == workload.window) break;
    used += change;
    peak = std::max(peak, used);
    usage.samples.push_back({.time = time, .used = used * kSlackUnit});
  }
  if (changes.empty()) {
    throw WorkloadError(fmt::format("{}: no VM runs in its window, expected some", workload.name));
  }
  if (peak == 0 && !capacity) {
    throw WorkloadError(
        fmt::format("{}: no VM asks for memory, so there is no peak to take for the capacity; "
                    "expected a capacity, or vCPUs",
                    workload.name));
  }
  usage.samples.push_back({.time = workload.window, .used = used * kSlackUnit});
  for (UsageSample& sample : usage.samples) sample.capacity = capacity.value_or(peak) * kSlackUnit;
  return usage;
}

}  // namespace cospot
