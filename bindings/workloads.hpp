#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "sim_harness/engine/event_schedule.hpp"
#include "sim_harness/workloads/workload.hpp"

namespace cospot::bindings {

/// Workload in Python: never changed once made, so that threads may share it.
class PythonWorkload {
 public:
  explicit PythonWorkload(Workload workload)
      : shared_(std::make_shared<Shared>(std::move(workload))) {}

  [[nodiscard]] const Workload& workload() const { return shared_->workload; }

  /// The workload's events in order, made when first asked for. Called without Python's lock.
  [[nodiscard]] const EventSchedule& schedule() const;
  [[nodiscard]] const EventSchedule& vm_schedule() const;

  /// True once, for the first of all copies that asks.
  [[nodiscard]] bool is_first_use() const { return !shared_->is_used.exchange(true); }

 private:
  struct Shared {
    explicit Shared(Workload made) : workload(std::move(made)) {}
    Workload workload;
    std::once_flag has_schedule;
    std::once_flag has_vm_schedule;
    EventSchedule schedule;
    EventSchedule vm_schedule;
    std::atomic<bool> is_used = false;
  };

  std::shared_ptr<Shared> shared_;
};

}  // namespace cospot::bindings
