#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "sim_harness/engine/datacenter_size.hpp"
#include "sim_harness/engine/event_schedule.hpp"
#include "sim_harness/engine/headroom.hpp"
#include "sim_harness/engine/run_settings.hpp"
#include "sim_harness/workloads/workload.hpp"

namespace cospot {

/// A value made by the first thread that asks for it; the others wait. When making it fails, the
/// exception goes to the one who asked and the next one tries again.
template <class T>
class MadeOnce {
 public:
  template <class Make>
  const T& get(const Make& make) {
    std::call_once(flag_, [&] { value_ = make(); });
    return value_;
  }

 private:
  std::once_flag flag_;
  T value_{};
};

/// A workload and what the runs on it share, each made when it is first asked for: its schedules,
/// and the sizes of datacenters of such hosts. Any thread may ask.
class SharedWorkload {
 public:
  /// Args: vm: the VM policies for which datacenters are sized.
  SharedWorkload(Workload workload, HostMix host, std::vector<ChainSpec> vm);

  [[nodiscard]] const Workload& workload() const { return workload_; }
  [[nodiscard]] const EventSchedule& schedule();     ///< of all requests
  [[nodiscard]] const EventSchedule& vm_schedule();  ///< of the VMs alone

  /// The smallest datacenter under the policy `vm`. Errors: ConfigError when none holds all VMs.
  [[nodiscard]] const DatacenterSize& smallest(std::size_t vm);

  /// How many hosts a size is under the policy `vm`.
  [[nodiscard]] std::size_t hosts(const Headroom& size, std::size_t vm);

 private:
  Workload workload_;
  HostMix host_;
  std::vector<ChainSpec> vm_;
  MadeOnce<EventSchedule> schedule_;
  MadeOnce<EventSchedule> vm_schedule_;
  std::vector<MadeOnce<DatacenterSize>> sizes_;  // by VM policy
};

}  // namespace cospot
