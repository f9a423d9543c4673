#include "sim_harness/provider/run/run_timeline.hpp"

#include <algorithm>

namespace cospot {
namespace {

std::size_t day_count(SimTime window) {
  return static_cast<std::size_t>((window.count() + kDay.count() - 1) / kDay.count());
}

std::size_t day_of(SimTime time) { return static_cast<std::size_t>(time / kDay); }

SimTime end_of_day(std::size_t day, SimTime window) {
  return std::min(window, kDay * static_cast<std::int64_t>(day + 1));
}

SimTime length_of_day(std::size_t day, SimTime window) {
  return end_of_day(day, window) - kDay * static_cast<std::int64_t>(day);
}

}  // namespace

DailyLevel::DailyLevel(SimTime window) : window_(window), days_(day_count(window)) {}

void DailyLevel::change(SimTime at, std::int64_t by) {
  const SimTime counted = std::max(at, SimTime(0));
  if (counted >= window_) return;
  const std::size_t day = day_of(counted);
  days_[day].change += by;
  days_[day].within += Revenue{by} * (end_of_day(day, window_) - counted).count();
}

std::vector<Revenue> DailyLevel::sums() const {
  std::vector<Revenue> sums;
  Revenue level = 0;
  for (std::size_t day = 0; day < days_.size(); ++day) {
    sums.push_back(level * length_of_day(day, window_).count() + days_[day].within);
    level += days_[day].change;
  }
  return sums;
}

RunTimeline::RunTimeline(std::size_t instances, std::size_t hosts, const PriorityLevels& levels,
                         SimTime window)
    : levels_(levels),
      window_(window),
      placed_(instances),
      instances_(hosts),
      hosts_in_use_(window),
      running_{DailyLevel(window), DailyLevel(window), DailyLevel(window)},
      vcpus_{DailyLevel(window), DailyLevel(window), DailyLevel(window)},
      evictions_{} {
  for (std::vector<std::uint64_t>& of : evictions_) of.resize(day_count(window));
}

RunTimeline::Kind RunTimeline::kind_of(const Request& request) const {
  const std::size_t level = levels_.of(request);
  if (level == 0) return kVms;
  return level + 1 == levels_.count ? kSpots : kEconomy;
}

void RunTimeline::placed(const Request& request, HostIndex host) {
  const Placed& now =
      placed_[request.instance] = {.vcpus = request.vcpus, .kind = kind_of(request)};
  running_[now.kind].change(request.time, 1);
  vcpus_[now.kind].change(request.time, now.vcpus);
  if (instances_[host]++ == 0) hosts_in_use_.change(request.time, 1);
}

void RunTimeline::departed(InstanceIndex instance, HostIndex host, SimTime time) {
  leave(instance, host, time);
}

void RunTimeline::evicted(InstanceIndex victim, HostIndex host, const Request& for_vm) {
  leave(victim, host, for_vm.time);
  if (for_vm.time < SimTime(0) || for_vm.time >= window_) return;
  ++evictions_[placed_[victim].kind][day_of(for_vm.time)];
}

void RunTimeline::leave(InstanceIndex instance, HostIndex host, SimTime time) {
  const Placed& before = placed_[instance];
  running_[before.kind].change(time, -1);
  vcpus_[before.kind].change(time, -before.vcpus);
  if (--instances_[host] == 0) hosts_in_use_.change(time, -1);
}

std::vector<TimelineDay> RunTimeline::days() const {
  std::vector<TimelineDay> days(evictions_[kSpots].size());
  const auto means = [&](const DailyLevel& level, double TimelineDay::*mean) {
    const std::vector<Revenue> sums = level.sums();
    for (std::size_t day = 0; day < days.size(); ++day) {
      days[day].*mean =
          static_cast<double>(sums[day]) / static_cast<double>(length_of_day(day, window_).count());
    }
  };
  const auto revenue = [&](const DailyLevel& level, Revenue TimelineDay::*amount) {
    const std::vector<Revenue> sums = level.sums();
    for (std::size_t day = 0; day < days.size(); ++day) days[day].*amount = sums[day];
  };
  for (std::size_t day = 0; day < days.size(); ++day) {
    days[day].day = day;
    days[day].economy_evictions = evictions_[kEconomy][day];
    days[day].evictions = evictions_[kSpots][day];
  }
  means(hosts_in_use_, &TimelineDay::hosts_in_use);
  means(running_[kVms], &TimelineDay::vms);
  means(running_[kEconomy], &TimelineDay::economy_instances);
  means(running_[kSpots], &TimelineDay::spots);
  revenue(vcpus_[kVms], &TimelineDay::vm_revenue);
  revenue(vcpus_[kEconomy], &TimelineDay::economy_revenue);
  revenue(vcpus_[kSpots], &TimelineDay::spot_revenue);
  return days;
}

}  // namespace cospot
