#include "sim_harness/provider/schedulers/scheduler_view.hpp"

#include <algorithm>

namespace cospot {

SchedulerView::SchedulerView(const ProviderHosts& datacenter, const Placements& placements,
                             const ChangeLog& log)
    : log_(&log),
      hosts_(HostTable(datacenter.table()), datacenter.allocator(), 0, placements,
             datacenter.levels()),
      known_of_(datacenter.table().size(), 0) {}

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
  switch (change.kind) {
    case HostChange::Kind::kClosed:
      return hosts_.close(host);
    case HostChange::Kind::kReopened:
      return hosts_.reopen(host);
    case HostChange::Kind::kCame:
      if (change.is_vm) return hosts_.place_vm(change.instance, change.resources, host);
      return hosts_.place_spot({.instance = change.instance,
                                .resources = change.resources,
                                .placed_at = change.time,
                                .ends_at = change.ends_at,
                                .promised_until = change.promised_until},
                               host);
    case HostChange::Kind::kLeft:
      if (change.is_vm) return hosts_.remove_vm(change.instance, change.resources, host);
      hosts_.remove_spot(change.instance, host);
  }
}

}  // namespace cospot
