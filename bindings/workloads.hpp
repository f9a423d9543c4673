#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"

namespace cospot::bindings {

/// Workload in Python: never changed once made, so that threads may share it.
class PythonWorkload {
 public:
  explicit PythonWorkload(Workload workload, const VcpusUnit& unit = {})
      : shared_(std::make_shared<Shared>(std::move(workload), unit)) {}

  [[nodiscard]] const Workload& workload() const { return shared_->workload; }

  /// What its file says that a vcpu is: for people, not for runs.
  [[nodiscard]] const VcpusUnit& unit() const { return shared_->unit; }

  /// The workload's events in order, made when first asked for. Called without Python's lock.
  [[nodiscard]] const EventSchedule& schedule() const;
  [[nodiscard]] const EventSchedule& vm_schedule() const;

  /// True once, for the first of all copies that asks.
  [[nodiscard]] bool is_first_use() const { return !shared_->is_used.exchange(true); }

 private:
  struct Shared {
    Shared(Workload made, const VcpusUnit& vcpus_unit)
        : workload(std::move(made)), unit(vcpus_unit) {}
    Workload workload;
    VcpusUnit unit;
    std::once_flag has_schedule;
    std::once_flag has_vm_schedule;
    EventSchedule schedule;
    EventSchedule vm_schedule;
    std::atomic<bool> is_used = false;
  };

  std::shared_ptr<Shared> shared_;
};

}  // namespace cospot::bindings
