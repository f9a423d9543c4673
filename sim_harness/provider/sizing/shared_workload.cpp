#include "sim_harness/provider/sizing/shared_workload.hpp"

#include <algorithm>
#include <utility>

namespace cospot {

SharedWorkload::SharedWorkload(Workload workload, HostMix host, SizedPolicies policies)
    : workload_(std::move(workload)),
      host_(std::move(host)),
      policies_(std::move(policies.vm)),
      headroom_of_(policies.headroom_of.empty() ? 0 : policies_.size()) {
  policies_.insert(policies_.end(), policies.headroom_of.begin(), policies.headroom_of.end());
  fewest_ = std::vector<MadeOnce<std::size_t>>(policies_.size());
}

const EventSchedule& SharedWorkload::schedule() {
  return schedule_.get([this] {
    return make_schedule(workload_, ScheduledClasses::kVmsAndSpots, host_.isolated_tenants());
  });
}

const EventSchedule& SharedWorkload::vm_schedule() {
  return vm_schedule_.get([this] {
    return make_schedule(workload_, ScheduledClasses::kVmsOnly, host_.isolated_tenants());
  });
}

std::size_t SharedWorkload::fewest(std::size_t policy) {
  return fewest_.at(policy).get([&] {
    return smallest_datacenter(workload_, vm_schedule(), host_, policies_[policy]).hosts;
  });
}

std::size_t SharedWorkload::fewest() {
  std::size_t hosts = fewest(headroom_of_);
  for (std::size_t i = headroom_of_ + 1; i < policies_.size(); ++i) {
    hosts = std::min(hosts, fewest(i));
  }
  return hosts;
}

std::size_t SharedWorkload::hosts(const Headroom& size, std::size_t vm) {
  if (!size.percent) return size.hosts;
  return with_headroom(size.of == HeadroomOf::kEachPolicy ? fewest(vm) : fewest(), *size.percent);
}

}  // namespace cospot
