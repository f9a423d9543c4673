#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "sim_harness/engine/allocator.hpp"
#include "sim_harness/engine/life_engine.hpp"
#include "tests/cpp/engine_checks.hpp"
#include "tests/cpp/reference_life.hpp"

namespace cospot {

/// Writes the events of a LifeEngine as the reference does.
class LifeRecorder final : public LifeObserver {
 public:
  explicit LifeRecorder(const Workload& workload) {
    for (const WorkloadRow& row : workload.rows) sizes_.push_back(row.resources);
  }

  void requested(const Request& request) override {
    note(request.time, "asked", request.instance, -1, request.resources());
  }
  void offered(const Offer& offer) override { CHECK_FALSE(offer.hosts.empty()); }
  void evicted(InstanceIndex victim, HostIndex host, const Request& for_vm) override {
    note(for_vm.time, "evicted", victim, host, sizes_[victim]);
  }
  void placed(const Request& request, HostIndex host) override {
    note(request.time, "placed", request.instance, host, request.resources());
  }
  void rejected(const Request& request) override {
    note(request.time, "rejected", request.instance, -1, request.resources());
  }
  void departed(InstanceIndex instance, HostIndex host, SimTime time) override {
    note(time, "ended", instance, host, sizes_[instance]);
  }
  void happened(const LifeEvent& event) override {
    const bool is_resize = event.kind == LifeEventKind::kResize;
    if (is_resize) sizes_[event.instance] = event.size;
    ResourceVector size;
    if (event.instance != kNoInstance) size = sizes_[event.instance];
    if (event.kind == LifeEventKind::kResizeRefused) size = event.size;
    note(event.time, word(event.kind),
         event.instance == kNoInstance ? -1 : static_cast<std::int64_t>(event.instance),
         event.host == kNoHost ? -1 : static_cast<std::int64_t>(event.host), size);
  }

  std::vector<std::string> events;

 private:
  static const char* word(LifeEventKind kind) {
    switch (kind) {
      case LifeEventKind::kHostDrained:
        return "drained";
      case LifeEventKind::kHostDown:
        return "down";
      case LifeEventKind::kHostBack:
        return "back";
      case LifeEventKind::kLoss:
        return "lost";
      case LifeEventKind::kStop:
        return "stopped";
      case LifeEventKind::kEvacuation:
        return "evacuated";
      case LifeEventKind::kMigration:
        return "migrated";
      case LifeEventKind::kResize:
        return "resized";
      case LifeEventKind::kResizeRefused:
        return "refused";
      case LifeEventKind::kGiveUp:
        return "gave up";
    }
    return "";
  }
  void note(SimTime time, const std::string& event, std::int64_t instance, std::int64_t host,
            const ResourceVector& size) {
    events.push_back(reference::life_line(time, event, instance, host, size));
  }

  std::vector<ResourceVector> sizes_;
};

/// A run of the engine, watched or not.
struct LifeRun {
  LifeRun(const Workload& workload, const RunSettings& settings, const LifePlan& plan,
          bool is_watched = true)
      : schedule(make_schedule(workload)), recorder(workload) {
    Allocator allocator = make_allocator(settings, schedule.has_placements());
    LifeEngine engine(schedule, make_hosts(settings), allocator, plan);
    if (is_watched) engine.set_observer(&recorder);
    engine.run();
    result = engine.result();
  }

  EventSchedule schedule;
  LifeRecorder recorder;
  LifeResult result;
};

inline void check_same_life(const LifeResult& result, const LifeResult& expected) {
  check_same_result(result.run, expected.run);
  CHECK(result.vm_retries == expected.vm_retries);
  CHECK(result.spot_retries == expected.spot_retries);
  CHECK(result.vms_late == expected.vms_late);
  CHECK(result.spots_late == expected.spots_late);
  CHECK((result.vm_wait == expected.vm_wait));
  CHECK((result.spot_wait == expected.spot_wait));
  CHECK(result.spots_returned == expected.spots_returned);
  CHECK(result.host_failures == expected.host_failures);
  CHECK(result.maintenances == expected.maintenances);
  CHECK(result.vms_evacuated == expected.vms_evacuated);
  CHECK(result.vms_migrated == expected.vms_migrated);
  CHECK(result.vms_restarted == expected.vms_restarted);
  CHECK(result.vms_lost == expected.vms_lost);
  CHECK(result.spots_lost == expected.spots_lost);
  CHECK(result.spots_stopped == expected.spots_stopped);
  CHECK(result.resizes_in_place == expected.resizes_in_place);
  CHECK(result.resizes_moved == expected.resizes_moved);
  CHECK(result.resizes_refused == expected.resizes_refused);
  CHECK(result.resizes_missed == expected.resizes_missed);
  CHECK(result.waiting == expected.waiting);
}

}  // namespace cospot
