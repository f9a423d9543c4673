#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/run/run_settings.hpp"
#include "sim_harness/provider/sizing/datacenter_size.hpp"
#include "sim_harness/provider/sizing/headroom.hpp"

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

/// The VM policies for which datacenters are sized.
struct SizedPolicies {
  std::vector<ChainSpec> vm;  ///< of the study
  /// Over which a headroom counts from the fewest hosts; empty: over `vm`.
  std::vector<ChainSpec> headroom_of{};
};

/// A workload and what the runs on it share, each made when it is first asked for: its schedules,
/// and the sizes of datacenters of such hosts. Any thread may ask.
class SharedWorkload {
 public:
  SharedWorkload(Workload workload, HostMix host, SizedPolicies policies);

  [[nodiscard]] const Workload& workload() const { return workload_; }
  [[nodiscard]] const EventSchedule& schedule();     ///< of all requests
  [[nodiscard]] const EventSchedule& vm_schedule();  ///< of the VMs alone

  /// How many hosts a size is under the policy `vm` of the study: the same for all of them, unless
  /// it counts from each one's own fewest. Errors: ConfigError when no datacenter holds all VMs.
  [[nodiscard]] std::size_t hosts(const Headroom& size, std::size_t vm);

 private:
  /// The fewest hosts that hold all VMs under one of `policies_`.
  [[nodiscard]] std::size_t fewest(std::size_t policy);
  /// The same over those that a headroom counts from.
  [[nodiscard]] std::size_t fewest();

  Workload workload_;
  HostMix host_;
  std::vector<ChainSpec> policies_;  // of the study, and behind them those of the headroom
  std::size_t headroom_of_;          // the first of these that a headroom counts from
  MadeOnce<EventSchedule> schedule_;
  MadeOnce<EventSchedule> vm_schedule_;
  std::vector<MadeOnce<std::size_t>> fewest_;  // by policy
};

}  // namespace cospot
