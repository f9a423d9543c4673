#include "sim_harness/provider/loop/run_group.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include "sim_harness/provider/forecasts/spot_forecasts.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/allocator.hpp"

namespace cospot {
namespace {

using Clock = std::chrono::steady_clock;

/// A run of the group and the evictor made for it.
struct Member {
  std::size_t index = 0;
  std::shared_ptr<const Evictor> evictor;
};

/// Members by SAF and OTN: all share a beginning, those with SAF a longer one.
using Branches = std::map<std::pair<bool, OfferRule>, std::vector<Member>>;

class GroupSimulation {
 public:
  GroupSimulation(const EventSchedule& schedule, const HostMix& host, std::size_t hosts,
                  std::span<const AllocatorSpec> allocators,
                  const std::function<void(std::size_t, const RunResult&)>& record, bool keeps_days)
      : schedule_(schedule),
        host_(host),
        hosts_(hosts),
        allocators_(allocators),
        record_(record),
        keeps_days_(keeps_days),
        vm_(chain(allocators.front().vm, ChainSide::kVm)),
        vm_avoiding_spots_(chain(allocators.front().vm, ChainSide::kVmAvoidingSpots)),
        spot_(chain(allocators.front().spot, ChainSide::kSpot)) {}

  void simulate() {
    Branches branches;
    std::size_t shared = 0;
    // A forecast follows from what happened in its own run.
    const bool all_alone = needs_spot_forecasts(allocators_.front().spot);
    for (std::size_t i = 0; i < allocators_.size(); ++i) {
      const AllocatorSpec& spec = allocators_[i];
      const Member member{.index = i, .evictor = make_evictor(spec.evictor)};
      if (!all_alone && member.evictor->victims_have_positive_cost()) {
        branches[{spec.saf, spec.otn}].push_back(member);
        ++shared;
      } else {
        simulate_alone(member);
      }
    }
    if (shared > 0) simulate_branches(branches, shared);
  }

 private:
  [[nodiscard]] Allocator allocator_of(const Member& member) const {
    const AllocatorSpec& spec = allocators_[member.index];
    return {.vm = spec.saf ? vm_avoiding_spots_ : vm_,
            .spot = spot_,
            .evictor = member.evictor,
            .otn = spec.otn};
  }

  [[nodiscard]] std::shared_ptr<const Chain> chain(const ChainSpec& spec, ChainSide side) const {
    return make_chain(spec, side, schedule_.has_placements());
  }
  [[nodiscard]] SimulationEngine engine_with(const Allocator& allocator) const {
    return {schedule_, host_.table(hosts_), allocator, {.keeps_days = keeps_days_}};
  }

  void simulate_alone(const Member& member) {
    const Clock::time_point start = Clock::now();
    SimulationEngine engine = engine_with(allocator_of(member));
    const auto forecast = make_spot_forecasts(schedule_, engine.hosts(), allocators_.front().spot);
    engine.set_forecasts(forecast.get());
    finish(engine, member, start, 0);
  }

  void simulate_branches(Branches& branches, std::size_t members) {
    const Clock::time_point start = Clock::now();
    Allocator plain = allocator_of(branches.begin()->second.front());
    plain.vm = vm_;
    plain.otn = 1;
    SimulationEngine trunk = engine_with(plain);
    trunk.run({.contention = true});
    const double share_ms = milliseconds_since(start) / static_cast<double>(members);
    std::size_t avoiding = 0;
    for (auto& [setting, branch_members] : branches) {
      if (setting.first) {
        avoiding += branch_members.size();
      } else {
        simulate_branch(trunk, branch_members, share_ms);
      }
    }
    if (avoiding > 0) simulate_avoiding_branches(trunk, branches, avoiding, share_ms);
  }

  /// With SAF nothing is contended until no host has room without an eviction.
  void simulate_avoiding_branches(const SimulationEngine& trunk, Branches& branches,
                                  std::size_t members, double shared_ms) {
    const Clock::time_point start = Clock::now();
    Allocator avoiding = trunk.allocator();
    avoiding.vm = vm_avoiding_spots_;
    SimulationEngine longer_trunk(trunk, avoiding);
    longer_trunk.run({.contention = true});
    shared_ms += milliseconds_since(start) / static_cast<double>(members);
    for (auto& [setting, branch_members] : branches) {
      if (setting.first) simulate_branch(longer_trunk, branch_members, shared_ms);
    }
  }

  /// Runs members with one SAF and OTN; each leaves the branch when its evictor may differ.
  void simulate_branch(const SimulationEngine& trunk, std::vector<Member>& members,
                       double shared_ms) {
    std::stable_sort(members.begin(), members.end(), [](const Member& a, const Member& b) {
      return a.evictor->follows_fifo_until() < b.evictor->follows_fifo_until();
    });
    Clock::time_point start = Clock::now();
    SimulationEngine branch(trunk, allocator_of(members.back()));
    for (std::size_t i = 0; i + 1 < members.size(); ++i) {
      branch.run({.time = members[i].evictor->follows_fifo_until()});
      shared_ms += milliseconds_since(start) / static_cast<double>(members.size() - i);
      const Clock::time_point fork_start = Clock::now();
      SimulationEngine fork(branch, allocator_of(members[i]));
      finish(fork, members[i], fork_start, shared_ms);
      start = Clock::now();
    }
    finish(branch, members.back(), start, shared_ms);
  }

  void finish(SimulationEngine& engine, const Member& member, Clock::time_point start,
              double shared_ms) {
    engine.run();
    RunResult result = engine.result();
    result.wall_ms = shared_ms + milliseconds_since(start);
    record_(member.index, result);
  }

  [[nodiscard]] static double milliseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }

  const EventSchedule& schedule_;
  const HostMix& host_;
  std::size_t hosts_;
  std::span<const AllocatorSpec> allocators_;
  const std::function<void(std::size_t, const RunResult&)>& record_;
  bool keeps_days_;
  std::shared_ptr<const Chain> vm_;
  std::shared_ptr<const Chain> vm_avoiding_spots_;
  std::shared_ptr<const Chain> spot_;
};

}  // namespace

void simulate_group(const EventSchedule& schedule, const HostMix& host, std::size_t hosts,
                    std::span<const AllocatorSpec> allocators,
                    const std::function<void(std::size_t, const RunResult&)>& record,
                    bool keeps_days) {
  GroupSimulation(schedule, host, hosts, allocators, record, keeps_days).simulate();
}

}  // namespace cospot
