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
  std::size_t variation = 0;
  std::shared_ptr<const Evictor> evictor;
};

/// Members by SAF and OTN: all share a beginning, those with SAF a longer one.
using Branches = std::map<std::pair<bool, OfferRule>, std::vector<Member>>;

class GroupSimulation {
 public:
  GroupSimulation(const EventSchedule& schedule, const RunGroupSettings& settings,
                  std::span<const RunVariation> variations,
                  const std::function<void(std::size_t, const RunResult&)>& record)
      : schedule_(schedule),
        settings_(settings),
        variations_(variations),
        record_(record),
        vm_(make_chain(*settings.vm, ChainSide::kVm, schedule.has_placements())),
        vm_avoiding_spots_(
            make_chain(*settings.vm, ChainSide::kVmAvoidingSpots, schedule.has_placements())),
        spot_(make_chain(*settings.spot, ChainSide::kSpot, schedule.has_placements())) {}

  void simulate() {
    Branches branches;
    std::size_t shared = 0;
    // A forecast follows from what happened in its own run.
    const bool all_alone = needs_spot_forecasts(*settings_.spot);
    for (std::size_t i = 0; i < variations_.size(); ++i) {
      const Member member{.variation = i, .evictor = make_evictor(*variations_[i].evictor)};
      if (!all_alone && member.evictor->victims_have_positive_cost()) {
        branches[{variations_[i].saf, variations_[i].otn}].push_back(member);
        ++shared;
      } else {
        simulate_alone(member);
      }
    }
    if (shared > 0) simulate_branches(branches, shared);
  }

 private:
  [[nodiscard]] Allocator allocator_of(const Member& member) const {
    const RunVariation& variation = variations_[member.variation];
    return {.vm = variation.saf ? vm_avoiding_spots_ : vm_,
            .spot = spot_,
            .evictor = member.evictor,
            .otn = variation.otn};
  }

  [[nodiscard]] SimulationParts parts() const { return {.keeps_days = settings_.keeps_days}; }

  void simulate_alone(const Member& member) {
    const Clock::time_point start = Clock::now();
    SimulationEngine engine(schedule_, settings_.host.table(settings_.hosts), allocator_of(member),
                            parts());
    const auto forecast = make_spot_forecasts(schedule_, engine.hosts(), *settings_.spot);
    engine.set_forecasts(forecast.get());
    finish(engine, member, start, 0);
  }

  void simulate_branches(Branches& branches, std::size_t members) {
    const Clock::time_point start = Clock::now();
    Allocator plain = allocator_of(branches.begin()->second.front());
    plain.vm = vm_;
    plain.otn = 1;
    SimulationEngine trunk(schedule_, settings_.host.table(settings_.hosts), plain, parts());
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
    record_(member.variation, result);
  }

  [[nodiscard]] static double milliseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }

  const EventSchedule& schedule_;
  const RunGroupSettings& settings_;
  std::span<const RunVariation> variations_;
  const std::function<void(std::size_t, const RunResult&)>& record_;
  std::shared_ptr<const Chain> vm_;
  std::shared_ptr<const Chain> vm_avoiding_spots_;
  std::shared_ptr<const Chain> spot_;
};

}  // namespace

void simulate_group(const EventSchedule& schedule, const RunGroupSettings& settings,
                    std::span<const RunVariation> variations,
                    const std::function<void(std::size_t, const RunResult&)>& record) {
  GroupSimulation(schedule, settings, variations, record).simulate();
}

}  // namespace cospot
