#include "sim_harness/provider/run/event_schedule.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "sim_harness/base/interrupt/stop_token.hpp"

namespace cospot {
namespace {

/// Numbers the distinct sizes of the requests in order of appearance.
class FlavorTable {
 public:
  explicit FlavorTable(std::vector<ResourceVector>& flavors) : flavors_(&flavors) {}

  std::uint32_t number_of(const ResourceVector& size) {
    const auto key = std::tuple(size.vcpus, size.memory_mb, size.disk_gb);
    const auto [found, is_new] =
        numbers_.try_emplace(key, static_cast<std::uint32_t>(flavors_->size()));
    if (is_new) flavors_->push_back(size);
    return found->second;
  }

 private:
  std::vector<ResourceVector>* flavors_;
  std::map<std::tuple<ResourceAmount, ResourceAmount, ResourceAmount>, std::uint32_t> numbers_;
};

void add_request(bool is_spot, Revenue revenue, RequestTotals& totals) {
  ++(is_spot ? totals.spot_requests : totals.vm_requests);
  (is_spot ? totals.spot_revenue_requested : totals.vm_revenue_requested) += revenue;
}

/// The rows in `which`, which are in file order, by `time`, then in file order.
std::vector<InstanceIndex> sorted_by(const std::vector<SimTime>& time,
                                     std::vector<InstanceIndex> which) {
  const auto is_before = [&](InstanceIndex a, InstanceIndex b) { return time[a] < time[b]; };
  if (std::ranges::is_sorted(which, is_before)) return which;  // as the arrivals of most files
  // With the times beside them: sorting millions of rows by what lies elsewhere waits for memory.
  std::vector<std::pair<SimTime, InstanceIndex>> keys;
  keys.reserve(which.size());
  for (const InstanceIndex instance : which) keys.emplace_back(time[instance], instance);
  StopPoll poll;
  std::ranges::sort(keys, [&poll](const auto& a, const auto& b) {
    poll.check();
    return a < b;
  });
  std::ranges::transform(keys, which.begin(), [](const auto& key) { return key.second; });
  return which;
}

/// Merges the two sorted lists; `kinds` holds flavor_and_kind of each row's arrival.
void merge_events(const std::vector<InstanceIndex>& arrivals,
                  const std::vector<InstanceIndex>& departures,
                  const std::vector<std::uint32_t>& kinds, EventSchedule& schedule) {
  const auto add_departure = [&](InstanceIndex instance) {
    schedule.events.push_back({instance, kinds[instance] | ScheduledEvent::kDepartureBit});
  };
  auto departure = departures.begin();
  for (const InstanceIndex instance : arrivals) {
    while (departure != departures.end() && schedule.end[*departure] <= schedule.start[instance]) {
      add_departure(*departure++);
    }
    schedule.events.push_back({instance, kinds[instance]});
    schedule.events_to_last_arrival = schedule.events.size();
    if (schedule.end[instance] == schedule.start[instance]) add_departure(instance);
  }
  std::for_each(departure, departures.end(), add_departure);
}

/// Says for every row what it asks beside room, its tenant included where that matters.
void add_placements(const Workload& workload, const IsolatedTenants& isolated,
                    EventSchedule& schedule) {
  if (workload.placements.empty() && isolated.empty()) return;
  std::map<std::pair<std::uint32_t, std::string_view>, std::uint32_t> number_of;
  schedule.groups = workload.placements.groups;
  schedule.placement_of.reserve(workload.rows.size());
  for (const WorkloadRow& row : workload.rows) {
    const bool is_isolated = isolated.contains(row.tenant);
    if (row.placement == 0 && isolated.empty()) {
      schedule.placement_of.push_back(0);
      continue;
    }
    // The identity of a tenant matters only if it has hosts of its own.
    const std::string_view tenant = is_isolated ? std::string_view(row.tenant) : "";
    const auto [found, is_new] = number_of.try_emplace(
        {row.placement, tenant}, static_cast<std::uint32_t>(schedule.placements.size() + 1));
    schedule.placement_of.push_back(found->second);
    if (!is_new) continue;
    RowPlacement asked =
        row.placement == 0 ? RowPlacement() : workload.placements.asked[row.placement - 1];
    asked.rules.tenant = tenant;
    schedule.placements.push_back(std::move(asked));
  }
}

}  // namespace

EventSchedule make_schedule(const Workload& workload, ScheduledClasses classes,
                            const IsolatedTenants& isolated) {
  EventSchedule schedule;
  add_placements(workload, isolated, schedule);
  schedule.window = workload.window;
  FlavorTable flavors(schedule.flavors);
  std::vector<std::uint32_t> kinds;
  std::vector<InstanceIndex> arrivals;
  std::vector<InstanceIndex> departures;
  StopPoll poll;
  for (const WorkloadRow& row : workload.rows) {
    poll.check();
    const auto instance = static_cast<InstanceIndex>(kinds.size());
    schedule.start.push_back(row.start);
    schedule.end.push_back(row.end);
    kinds.push_back(flavors.number_of(row.resources) << 2 |
                    (row.is_spot() ? ScheduledEvent::kSpotBit : 0));
    if (!starts_in_time(row, workload.window)) continue;
    const bool is_vm = row.instance_class == InstanceClass::kVm;
    if (!is_vm && classes == ScheduledClasses::kVmsOnly) continue;
    if (is_vm || row.is_spot()) {
      add_request(!is_vm, requested_revenue(row, workload.window), schedule);
    }
    arrivals.push_back(instance);
    if (row.end != kNever && row.end != row.start) departures.push_back(instance);
  }
  merge_events(sorted_by(schedule.start, std::move(arrivals)),
               sorted_by(schedule.end, std::move(departures)), kinds, schedule);
  return schedule;
}

ScheduleCut cut_at(const EventSchedule& schedule, SimTime window) {
  ScheduleCut cut;
  cut.window = window;
  std::vector<bool> has_left(schedule.start.size(), false);
  std::vector<InstanceIndex> left;  // since the last arrival
  for (std::size_t i = 0; i < schedule.events.size(); ++i) {
    const ScheduledEvent& event = schedule.events[i];
    const InstanceIndex instance = event.instance;
    if (event.is_departure()) {
      left.push_back(instance);
      continue;
    }
    if (schedule.start[instance] >= window) break;
    cut.events = i + 1;
    for (const InstanceIndex one : left) has_left[one] = true;
    left.clear();
    const SimTime start = schedule.start[instance];
    const SimTime end = std::min(schedule.end[instance], window);
    add_request(event.is_spot(), schedule.revenue(schedule.resources(event).vcpus, start, end),
                cut);
  }
  std::ranges::copy_if(std::span(schedule.events).first(cut.events),
                       std::back_inserter(cut.running), [&](const ScheduledEvent& event) {
                         return !event.is_departure() && !has_left[event.instance];
                       });
  return cut;
}

}  // namespace cospot
