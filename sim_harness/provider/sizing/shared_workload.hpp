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

/// A value made by the first thread that asks for it; others wait. If making it fails, that thread
/// gets the exception and the next one tries again.
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
  /// The policies from whose fewest hosts a headroom counts; empty: `vm`.
  std::vector<ChainSpec> headroom_of{};
};

/// A workload and what the runs on it share, each made on first use: its schedules, and datacenter
/// sizes for these hosts. Thread-safe.
class SharedWorkload {
 public:
  SharedWorkload(Workload workload, HostMix host, SizedPolicies policies);

  [[nodiscard]] const Workload& workload() const { return workload_; }
  [[nodiscard]] const EventSchedule& schedule();     ///< of all requests
  [[nodiscard]] const EventSchedule& vm_schedule();  ///< of the VMs only

  /// The number of hosts of a size under the study's policy `vm`: the same for all policies unless
  /// the size counts from each one's own fewest. Errors: ConfigError if no datacenter holds all
  /// VMs.
  [[nodiscard]] std::size_t hosts(const Headroom& size, std::size_t vm);

 private:
  /// The fewest hosts that hold all VMs under one of `policies_`.
  [[nodiscard]] std::size_t fewest(std::size_t policy);
  /// The minimum over the policies of the headroom.
  [[nodiscard]] std::size_t fewest();

  Workload workload_;
  HostMix host_;
  std::vector<ChainSpec> policies_;  // those of the study, then those of the headroom
  std::size_t headroom_of_;          // index of the first policy of the headroom
  MadeOnce<EventSchedule> schedule_;
  MadeOnce<EventSchedule> vm_schedule_;
  std::vector<MadeOnce<std::size_t>> fewest_;  // by policy
};

}  // namespace cospot
