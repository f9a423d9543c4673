#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "tests/cpp/engine_checks.hpp"
#include "tests/cpp/reference_provider.hpp"

namespace cospot {

inline constexpr SimTime kTick =
    std::chrono::hours(6);  // of the random workloads, so times are equal

inline SimTime ticks(Random& random, std::uint64_t most) {
  return static_cast<std::int64_t>(random.below(most)) * kTick;
}

inline Backoff random_rule(Random& random) {
  return {.patience = kTick + ticks(random, 12),
          .first_wait = random.below(2) == 0 ? kTick : std::chrono::minutes(50),
          .factor = random.below(2) == 0 ? Decimal(1) : Decimal::of(1.7),
          .longest_wait = random.below(3) == 0 ? 2 * kTick : 8 * kTick,
          .vms = random.below(4) != 0,
          .spots = random.below(4) != 0};
}

/// Of moves every second takes no time, or as long as a tick or two.
inline std::optional<EvictionRule> random_eviction_rule(Random& random) {
  if (random.below(3) == 0) return std::nullopt;
  EvictionRule rule{.what = static_cast<OnEviction>(random.below(3))};
  const double tick_s = std::chrono::duration<double>(kTick).count();
  if (random.below(2) == 0) rule.state = {.percent = 0, .fixed_mb = tick_s};
  rule.bandwidth = {random.below(2) == 0 ? 1 : 0.01, random.below(2) == 0 ? 0.5 : 7.2};
  return rule;
}

/// One after another on each host, with other hosts' at the same moments.
inline void add_outages(Random& random, std::size_t hosts, OutageKind kind, LifePlan& plan) {
  for (HostIndex host = 0; host < hosts; ++host) {
    SimTime time = ticks(random, 30) - 8 * kTick;
    for (int i = 0; i < 4; ++i) {
      Outage outage{.host = host, .notice = time, .start = time, .kind = kind};
      if (kind == OutageKind::kMaintenance) outage.start += ticks(random, 5);
      outage.end = outage.start + kTick + ticks(random, 4);
      plan.outages.push_back(outage);
      time = outage.end + ticks(random, 12);
    }
  }
}

inline void add_resizes(Random& random, const Workload& workload, LifePlan& plan) {
  for (InstanceIndex i = 0; i < workload.rows.size(); ++i) {
    const WorkloadRow& row = workload.rows[i];
    if (row.is_spot() || random.below(3) == 0) continue;
    SimTime time = row.start;
    for (int times = 0; times < 2; ++times) {
      time += kTick + ticks(random, 6);
      if (time >= std::min(row.end, workload.window)) break;
      const auto amount = [&random] { return static_cast<ResourceAmount>(1 + random.below(7)); };
      plan.resizes.push_back({.instance = i, .time = time, .size = {amount(), amount(), 0}});
    }
  }
  std::ranges::stable_sort(plan.resizes, {}, &Resize::time);
}

/// What a random plan has.
struct PlanParts {
  bool retries = false, failures = false, maintenance = false, resizes = false;
};

inline LifePlan random_plan(std::uint64_t seed, const Workload& workload, std::size_t hosts,
                            const PlanParts& parts) {
  Random random(seed + 1000);
  LifePlan plan;
  if (parts.retries) plan.retries = random_rule(random);
  if (parts.retries) plan.returning_spots = random_rule(random);
  if (parts.failures) add_outages(random, hosts, OutageKind::kFailure, plan);
  if (parts.maintenance) add_outages(random, hosts, OutageKind::kMaintenance, plan);
  if (parts.resizes) add_resizes(random, workload, plan);
  plan.ends_stay = random.below(2) == 0;
  if (parts.retries) plan.on_eviction = random_eviction_rule(random);
  return plan;
}

/// Some of the requests are in groups with hard rules.
inline void add_groups(std::uint64_t seed, Workload& workload) {
  Random random(seed + 3000);
  workload.placements.groups = {
      {.id = "apart", .policy = GroupPolicy::kAntiAffinity, .max_server_per_host = 1},
      {.id = "two", .policy = GroupPolicy::kAntiAffinity, .max_server_per_host = 2},
      {.id = "near", .policy = GroupPolicy::kAffinity}};
  workload.placements.asked = {
      {.rules = {}, .group = 0}, {.rules = {}, .group = 1}, {.rules = {}, .group = 2}};
  for (WorkloadRow& row : workload.rows) {
    if (random.below(4) != 0) continue;
    row.placement =
        static_cast<std::uint32_t>(1 + random.below(3)) & WorkloadPlacements::kMostAsked;
  }
}

/// Writes the events of an engine with a plan as the reference does.
class LifeRecorder final : public RunObserver {
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
      case LifeEventKind::kDecline:
        return "declined";
      case LifeEventKind::kNotice:
        return "told";
      case LifeEventKind::kNoticeWithdrawn:
        return "untold";
    }
    return "";
  }
  void note(SimTime time, const std::string& event, std::int64_t instance, std::int64_t host,
            const ResourceVector& size) {
    events.push_back(reference::event_line(time, event, instance, host, size));
  }

  std::vector<ResourceVector> sizes_;
};

/// A run of the engine, watched or not.
struct LifeRun {
  LifeRun(const Workload& workload, const RunSettings& settings, const LifePlan& plan,
          bool is_watched = true)
      : schedule(make_schedule(workload)), recorder(workload) {
    Allocator allocator = make_allocator(settings, schedule.has_placements());
    SimulationEngine engine(schedule, make_hosts(settings), allocator, {.plan = &plan});
    if (is_watched) engine.set_observer(&recorder);
    engine.run();
    result = engine.life_result();
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
  CHECK((result.spot_work == expected.spot_work));
}

}  // namespace cospot
