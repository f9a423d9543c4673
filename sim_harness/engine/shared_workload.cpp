#include "sim_harness/engine/shared_workload.hpp"

#include <utility>

namespace cospot {

SharedWorkload::SharedWorkload(Workload workload, HostMix host, std::vector<ChainSpec> vm)
    : workload_(std::move(workload)),
      host_(std::move(host)),
      vm_(std::move(vm)),
      sizes_(vm_.size()) {}

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

const DatacenterSize& SharedWorkload::smallest(std::size_t vm) {
  return sizes_.at(vm).get(
      [&] { return smallest_datacenter(workload_, vm_schedule(), host_, vm_[vm]); });
}

std::size_t SharedWorkload::hosts(const Headroom& size, std::size_t vm) {
  return size.percent ? with_headroom(smallest(vm).hosts, *size.percent) : size.hosts;
}

}  // namespace cospot
