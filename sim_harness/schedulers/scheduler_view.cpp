#include "sim_harness/schedulers/scheduler_view.hpp"

#include <algorithm>

namespace cospot {
namespace {

/// The rankings' columns are to have the spots.
const HostTable& lent_spots(HostTable& hosts, const SpotLists& spots) {
  hosts.lend_spots(spots);
  return hosts;
}

}  // namespace

HostRanking& LateRanking::current() {
  for (const HostIndex host : stale_) {
    ranking_->host_changed(host);
    is_stale_[host] = 0;
  }
  stale_.clear();
  return *ranking_;
}

SchedulerView::SchedulerView(const EventSchedule& schedule, const HostTable& hosts,
                             const Allocator& allocator, const ChangeLog& log)
    : schedule_(&schedule),
      log_(&log),
      hosts_(hosts),
      spots_(hosts.size()),
      placements_(schedule),
      vm_(*allocator.vm, lent_spots(hosts_, spots_)),
      spot_(*allocator.spot, hosts_),
      known_of_(hosts.size(), 0) {}

void SchedulerView::learn_before(SimTime time) {
  while (known_ < log_->count() && (*log_)[known_].time < time) learn_next();
}

void SchedulerView::learn_all() {
  while (known_ < log_->count()) learn_next();
}

void SchedulerView::learn_next() {
  const HostChange& change = (*log_)[known_++];
  if (known_of_[change.host] < known_) apply(change);
}

void SchedulerView::learn_host(HostIndex host) {
  const std::uint64_t known = std::max(known_, known_of_[host]);
  positions_.clear();
  for (std::uint64_t count = log_->newest_of(host); count > known;
       count = (*log_)[count - 1].previous) {
    positions_.push_back(count - 1);
  }
  for (auto position = positions_.rbegin(); position != positions_.rend(); ++position) {
    apply((*log_)[*position]);
  }
  known_of_[host] = log_->count();
}

void SchedulerView::apply(const HostChange& change) {
  const HostIndex host = change.host;
  if (change.leaves) {
    placements_.left(change.instance, host);
  } else {
    placements_.placed(change.instance, host);
  }
  if (change.is_spot) {
    if (change.leaves) {
      spots_.remove(change.instance, host);
      hosts_.remove_spot(host, change.resources);
    } else {
      spots_.add({.instance = change.instance,
                  .resources = change.resources,
                  .placed_at = change.time,
                  .ends_at = schedule_->end[change.instance]},
                 host);
      hosts_.add_spot(host, change.resources);
    }
  } else if (change.leaves) {
    hosts_.remove_vm(host, change.resources);
  } else {
    hosts_.add_vm(host, change.resources);
  }
  vm_.host_changed(host, change.is_spot);
  spot_.host_changed(host, change.is_spot);
}

}  // namespace cospot
