#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/handshake/eviction_levels.hpp"
#include "core/handshake/offer_rule.hpp"
#include "core/model/host_table.hpp"
#include "core/model/instance_table.hpp"
#include "core/model/vm_load.hpp"
#include "core/policy/evictor.hpp"
#include "core/ranking/chain.hpp"
#include "core/ranking/host_ranking.hpp"
#include "sim_harness/engine/event_schedule.hpp"
#include "sim_harness/engine/forecast_owner.hpp"
#include "sim_harness/engine/placements.hpp"
#include "sim_harness/interrupt/stop_token.hpp"

namespace cospot {

/// The policies of a run with priority levels.
struct LevelAllocator {
  /// How hosts are ranked for each level, the highest first. The chain of the lowest level sees
  /// what is free beside all instances; every other one what is free beside its own level and
  /// above.
  std::vector<std::shared_ptr<const Chain>> chains;
  std::shared_ptr<const Evictor> evictor;
  OfferRule otn{};
};

/// What became of one level. Revenue as in RunResult: inside the window, in vcpu-microseconds.
struct LevelResult {
  std::uint64_t requests = 0;
  std::uint64_t rejected = 0;
  std::uint64_t evictions = 0;
  Revenue revenue_requested = 0;
  Revenue revenue = 0;

  friend bool operator==(const LevelResult&, const LevelResult&) = default;
};

/// One run with any number of priority levels, at least two: 0 is the highest, an instance may
/// displace those of lower levels, and is displaced only by higher ones. Two levels are VMs and
/// spots, and give what SimulationEngine gives; three are VMs, economy instances and spots.
///
/// The hosts are kept once for each level that may displace another: in the table of a level, the
/// instances of that level and above are the VMs, those below it are the spots. So a chain, a
/// filter and a ranking know nothing of levels, and what they do for a VM they do for an economy
/// instance. An offer's host is chosen as by SpotSide, with the scores of the levels compared in
/// order: less of a higher level evicted wins. docs/semantics.md says which instances are evicted.
class LevelEngine {
 public:
  /// Args: schedule: of all rows; outlives the engine. level_of: of each row of the workload.
  LevelEngine(const EventSchedule& schedule, std::vector<std::uint8_t> level_of,
              const HostTable& hosts, LevelAllocator allocator);

  /// Hands the forecasts of `owner` to the policies with every request.
  void set_forecasts(ForecastOwner* owner) { forecasts_ = owner; }

  /// Processes all events. Throws Interrupted when the thread's StopToken asks.
  void run();

  [[nodiscard]] const std::vector<LevelResult>& results() const { return results_; }
  /// The host an instance runs on; kNoHost when it does not.
  [[nodiscard]] HostIndex host_of(InstanceIndex instance) const { return host_of_[instance]; }
  /// Where each instance was placed first; kNoHost: rejected, or it never arrived.
  [[nodiscard]] const std::vector<HostIndex>& placements() const { return first_host_of_; }

 private:
  /// The hosts as a level that may displace others sees them.
  struct View {
    explicit View(const HostTable& copied) : hosts(copied), displaceable(copied.size()) {}

    HostTable hosts;
    SpotLists displaceable;
    std::unique_ptr<HostRanking> ranking{};
  };

  void arrive(const ScheduledEvent& event);
  void depart(const ScheduledEvent& event);
  [[nodiscard]] Request request_of(const ScheduledEvent& arrival) const;
  [[nodiscard]] HostIndex displace(const Request& request, std::size_t level);
  [[nodiscard]] bool plan_on(HostIndex host, const Request& request, std::size_t level,
                             LevelPlan& plan);
  void evict(HostIndex host, const LevelPlan& plan, std::size_t displacing,
             const Request& for_request);
  void place(HostIndex host, const Request& request, std::size_t level);
  void remove(InstanceIndex instance, const ResourceVector& size, std::size_t level);
  void host_changed(HostIndex host);
  void add_revenue(std::size_t level, const Request& request);

  const EventSchedule* schedule_;
  std::vector<std::uint8_t> level_of_;
  LevelAllocator allocator_;
  std::size_t levels_;
  std::vector<std::unique_ptr<View>> views_;  // of all levels but the lowest
  std::unique_ptr<HostRanking> lowest_ranking_;
  VmLoad load_;  // of the highest level
  LevelEvictions evictions_;
  std::vector<HostIndex> host_of_, first_host_of_;
  Placements placements_;
  std::vector<std::uint8_t> levels_on_host_;  // scratch
  LevelPlan plan_, best_;                     // scratch
  std::vector<LevelResult> results_;
  ForecastOwner* forecasts_ = nullptr;
  StopToken stop_ = current_stop_token();
};

}  // namespace cospot
