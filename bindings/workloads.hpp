#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/sim_time.hpp"
#include "sim_harness/data/hosts/host_mix.hpp"
#include "sim_harness/data/workloads/plausible_sizes.hpp"
#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/data/workloads/workload_spec.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/sizing/shared_workload.hpp"

namespace cospot::bindings {

/// Workload in Python: never changed once made, so that threads may share it.
class PythonWorkload {
 public:
  explicit PythonWorkload(Workload workload, const VcpusUnit& unit = {})
      : shared_(std::make_shared<Shared>(std::move(workload), unit)) {}

  [[nodiscard]] const Workload& workload() const { return shared_->workload; }

  /// The same, for as long as the result lives.
  [[nodiscard]] std::shared_ptr<const Workload> shared_workload() const {
    return {shared_, &shared_->workload};
  }

  /// The meaning of a vcpu according to its file: for people, not for runs.
  [[nodiscard]] const VcpusUnit& unit() const { return shared_->unit; }

  /// The workload's events in order, made when first asked for. Called without Python's lock.
  [[nodiscard]] const EventSchedule& schedule() const {
    return shared_->schedule.get([this] { return make_schedule(workload()); });
  }
  [[nodiscard]] const EventSchedule& vm_schedule() const {
    return shared_->vm_schedule.get(
        [this] { return make_schedule(workload(), ScheduledClasses::kVmsOnly); });
  }

  /// The sums of what it asks for, made when first asked for.
  [[nodiscard]] const SizeSums& sums() const {
    return shared_->sums.get([this] { return size_sums(workload()); });
  }

  /// True once, for the first of all copies that asks.
  [[nodiscard]] bool is_first_use() const { return !shared_->is_used.exchange(true); }

 private:
  struct Shared {
    Shared(Workload made, const VcpusUnit& vcpus_unit)
        : workload(std::move(made)), unit(vcpus_unit) {}
    Workload workload;
    VcpusUnit unit;
    MadeOnce<EventSchedule> schedule;
    MadeOnce<EventSchedule> vm_schedule;
    MadeOnce<SizeSums> sums;
    std::atomic<bool> is_used = false;
  };

  std::shared_ptr<Shared> shared_;
};

/// The window that an argument `window_days` states; nothing for None.
[[nodiscard]] std::optional<SimTime> read_window_days(const pybind11::object& window_days);

/// The same of the two arguments of which at most one may be given.
[[nodiscard]] std::optional<SimTime> read_window(const pybind11::object& window_us,
                                                 const pybind11::object& window_days);

/// The workloads that a caller gave as objects, told apart by their labels: frames are all called
/// the same, so the second other one is `frame#2`. Equal ones have one label.
class GivenWorkloads {
 public:
  [[nodiscard]] WorkloadSpec add(const PythonWorkload& workload);

 private:
  std::vector<WorkloadSpec> given_;
};

/// A workload of a call's argument: a file, a spec, or a Workload as it is.
[[nodiscard]] WorkloadSpec read_workload_spec(const pybind11::handle& given, std::string_view name);

/// One of them, or a list of them.
[[nodiscard]] std::vector<WorkloadSpec> read_workload_specs(const pybind11::object& given,
                                                            std::string_view name);

/// Warns (cospot.errors.WorkloadWarning) of each, in the name of the Python code that called.
void warn(const std::vector<std::string>& warnings);

/// Warns that its window looks wrong, at its first use, or that `hosts` use another unit.
void warn_of_inputs(const PythonWorkload& workload, const HostMix& hosts);

}  // namespace cospot::bindings
