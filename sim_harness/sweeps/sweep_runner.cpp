#include "sim_harness/sweeps/sweep_runner.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "sim_harness/engine/datacenter_size.hpp"
#include "sim_harness/engine/event_schedule.hpp"
#include "sim_harness/engine/informed_evictor.hpp"
#include "sim_harness/engine/run_group.hpp"
#include "sim_harness/workloads/load_workload.hpp"
#include "sim_harness/workloads/window.hpp"

namespace cospot {
namespace {

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

/// A workload of the sweep and what its runs share.
class SharedWorkload {
 public:
  SharedWorkload(Workload workload, std::size_t vm_chains, std::size_t evictors)
      : workload_(std::move(workload)), sizes_(vm_chains), evictors_(evictors) {}

  [[nodiscard]] const Workload& workload() const { return workload_; }

  [[nodiscard]] const EventSchedule& schedule() {
    return schedule_.get([this] { return make_schedule(workload_); });
  }

  /// An evictor of the sweep, with what it can know of this workload.
  [[nodiscard]] const EvictorSpec& evictor(const Sweep& sweep, std::size_t index) {
    return evictors_[index].get([&] {
      EvictorSpec spec = sweep.evictors[index];
      if (spec.made != nullptr) spec.made = informed_evictor(spec.made, workload_, schedule());
      return spec;
    });
  }

  [[nodiscard]] std::size_t least_hosts(const Sweep& sweep, std::size_t vm) {
    const EventSchedule& vms =
        vm_schedule_.get([this] { return make_schedule(workload_, ScheduledClasses::kVmsOnly); });
    return sizes_[vm]
        .get([&] { return smallest_datacenter(workload_, vms, sweep.host, sweep.vm[vm]); })
        .hosts;
  }

 private:
  Workload workload_;
  MadeOnce<EventSchedule> schedule_;
  MadeOnce<EventSchedule> vm_schedule_;
  std::vector<MadeOnce<DatacenterSize>> sizes_;  // by VM chain
  std::vector<MadeOnce<EvictorSpec>> evictors_;  // by evictor of the sweep
};

class SweepSimulation {
 public:
  explicit SweepSimulation(const Sweep& sweep) : sweep_(sweep), grid_(sweep) {
    for (const WorkloadSpec& spec : sweep.workloads) {
      workloads_.push_back(std::make_unique<SharedWorkload>(load_workload(spec), sweep.vm.size(),
                                                            sweep.evictors.size()));
      // Now, not in the first group that needs the size: by then there is a database.
      if (has_headroom()) require_every_vm_fits(workloads_.back()->workload(), sweep.host);
    }
  }

  [[nodiscard]] std::vector<WorkloadRecord> workload_records() const {
    std::vector<WorkloadRecord> records;
    for (std::size_t i = 0; i < workloads_.size(); ++i) {
      const Workload& workload = workloads_[i]->workload();
      records.push_back(
          {.label = sweep_.workloads[i].label, .sha256 = workload.sha256, .name = workload.name});
    }
    return records;
  }

  [[nodiscard]] std::vector<SimTime> windows() const {
    std::vector<SimTime> windows;
    for (const auto& shared : workloads_) windows.push_back(shared->workload().window);
    return windows;
  }

  [[nodiscard]] std::vector<std::string> warnings() const {
    std::vector<std::string> warnings;
    for (const auto& shared : workloads_) {
      for (std::string& warning : window_warnings(shared->workload())) {
        warnings.push_back(std::move(warning));
      }
    }
    return warnings;
  }

  void run_group(const RunGroup& group, std::span<const std::size_t> pending,
                 const RecordRun& record) {
    SharedWorkload& workload = *workloads_[group.workload];
    std::vector<RunVariation> variations;
    for (const std::size_t run : pending) {
      const RunCoordinates at = grid_.coordinates(run);
      variations.push_back({.evictor = &workload.evictor(sweep_, at.evictor),
                            .saf = sweep_.saf[at.saf],
                            .otn = sweep_.otn[at.otn]});
    }
    const RunGroupSettings settings{.host = sweep_.host,
                                    .hosts = hosts_of(group),
                                    .vm = &sweep_.vm[group.vm],
                                    .spot = &sweep_.spot[group.spot]};
    simulate_group(workload.schedule(), settings, variations,
                   [&](std::size_t variation, const RunResult& result) {
                     record(pending[variation], result);
                   });
  }

 private:
  [[nodiscard]] bool has_headroom() const {
    return std::ranges::any_of(sweep_.sizes,
                               [](const Headroom& size) { return size.percent.has_value(); });
  }

  [[nodiscard]] std::size_t hosts_of(const RunGroup& group) {
    const Headroom& size = sweep_.sizes[group.size];
    if (!size.percent.has_value()) return size.hosts;
    return with_headroom(workloads_[group.workload]->least_hosts(sweep_, group.vm), *size.percent);
  }

  const Sweep& sweep_;
  SweepGrid grid_;
  std::vector<std::unique_ptr<SharedWorkload>> workloads_;
};

}  // namespace

SweepRunner make_sweep_runner(const Sweep& sweep) {
  const auto simulation = std::make_shared<SweepSimulation>(sweep);
  return {
      .workloads = simulation->workload_records(),
      .run_group = [simulation](
                       const RunGroup& group, std::span<const std::size_t> pending,
                       const RecordRun& record) { simulation->run_group(group, pending, record); },
      .windows = simulation->windows(),
      .warnings = simulation->warnings()};
}

}  // namespace cospot
