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

using Members = std::vector<Member>;
/// Members by SAF and OTN: all share a beginning, those with SAF a longer one.
using Branches = std::map<std::pair<bool, OfferRule>, Members>;
using Shares = GroupRun::Shares;

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

  /// Goes only to a cut, from where the runs are.
  void go_to_cut(std::size_t cut, std::span<GroupRun> runs) {
    events_ = schedule_.cuts[cut].events;
    runs_ = runs;
  }

  void simulate() {
    Members all;
    Members with_saf;
    Branches branches;
    // A forecast follows from what happened in its own run.
    const bool all_alone = needs_spot_forecasts(allocators_.front().spot);
    for (std::size_t i = 0; i < allocators_.size(); ++i) {
      const AllocatorSpec& spec = allocators_[i];
      const Member member{.index = i, .evictor = make_evictor(spec.evictor)};
      const bool may_share = !all_alone && member.evictor->victims_have_positive_cost();
      switch (may_share ? shares_of(i) : Shares::kNone) {
        case Shares::kAll:
          all.push_back(member);
          break;
        case Shares::kWithSaf:
          with_saf.push_back(member);
          break;
        case Shares::kSameOffer:
          branches[{spec.saf, spec.otn}].push_back(member);
          break;
        case Shares::kNone:
          simulate_alone(member);
          break;
      }
    }
    if (!all.empty()) simulate_all(all);
    if (!with_saf.empty()) {
      SimulationEngine trunk = engine_with(avoiding(with_saf.front()), with_saf.front());
      simulate_with_saf(trunk, with_saf, 0);
    }
    for (auto& [setting, members] : branches) {
      sort_by_fifo(members);
      SimulationEngine branch = engine_with(allocator_of(members.back()), members.back());
      simulate_branch(branch, members, 0);
    }
  }

 private:
  [[nodiscard]] Shares shares_of(std::size_t index) const {
    return runs_.empty() ? Shares::kAll : runs_[index].shares;
  }

  [[nodiscard]] Allocator allocator_of(const Member& member) const {
    const AllocatorSpec& spec = allocators_[member.index];
    return {.vm = spec.saf ? vm_avoiding_spots_ : vm_,
            .spot = spot_,
            .evictor = member.evictor,
            .otn = spec.otn};
  }
  /// While nothing is contended the offer does not matter.
  [[nodiscard]] Allocator plain(const Member& member) const {
    return {.vm = vm_, .spot = spot_, .evictor = member.evictor, .otn = 1};
  }
  [[nodiscard]] Allocator avoiding(const Member& member) const {
    return {.vm = vm_avoiding_spots_, .spot = spot_, .evictor = member.evictor, .otn = 1};
  }

  [[nodiscard]] std::shared_ptr<const Chain> chain(const ChainSpec& spec, ChainSide side) const {
    return make_chain(spec, side, schedule_.has_placements());
  }
  /// An engine where a member is.
  [[nodiscard]] SimulationEngine engine_with(const Allocator& allocator,
                                             const Member& member) const {
    if (!runs_.empty()) {
      return {schedule_, host_.table(hosts_), allocator, runs_[member.index].at.get()};
    }
    return {schedule_, host_.table(hosts_), allocator, SimulationParts{.keeps_days = keeps_days_}};
  }

  void simulate_alone(const Member& member) {
    const Clock::time_point start = Clock::now();
    SimulationEngine engine = engine_with(allocator_of(member), member);
    const auto forecast = make_spot_forecasts(schedule_, engine.hosts(), allocators_.front().spot);
    engine.set_forecasts(forecast.get());
    finish(engine, std::span(&member, 1), Shares::kNone, start, 0);
  }

  void simulate_all(const Members& members) {
    const Clock::time_point start = Clock::now();
    SimulationEngine trunk = engine_with(plain(members.front()), members.front());
    if (trunk.run({.contention = true, .events = events_}) == RunPause::kFinished) {
      return finish(trunk, members, Shares::kAll, start, 0);
    }
    const double share_ms = milliseconds_since(start) / static_cast<double>(members.size());
    Members with_saf;
    Members others;
    for (const Member& member : members) {
      (allocators_[member.index].saf ? with_saf : others).push_back(member);
    }
    simulate_branches(trunk, others, share_ms);
    if (with_saf.empty()) return;
    SimulationEngine longer_trunk(trunk, avoiding(members.front()));
    simulate_with_saf(longer_trunk, with_saf, share_ms);
  }

  /// With SAF nothing is contended until no host has room without an eviction.
  void simulate_with_saf(SimulationEngine& trunk, const Members& members, double shared_ms) {
    const Clock::time_point start = Clock::now();
    if (trunk.run({.contention = true, .events = events_}) == RunPause::kFinished) {
      return finish(trunk, members, Shares::kWithSaf, start, shared_ms);
    }
    shared_ms += milliseconds_since(start) / static_cast<double>(members.size());
    simulate_branches(trunk, members, shared_ms);
  }

  void simulate_branches(const SimulationEngine& trunk, const Members& members, double shared_ms) {
    Branches branches;
    for (const Member& member : members) {
      const AllocatorSpec& spec = allocators_[member.index];
      branches[{spec.saf, spec.otn}].push_back(member);
    }
    for (auto& [setting, branch_members] : branches) {
      sort_by_fifo(branch_members);
      SimulationEngine branch(trunk, allocator_of(branch_members.back()));
      simulate_branch(branch, branch_members, shared_ms);
    }
  }

  static void sort_by_fifo(Members& members) {
    std::stable_sort(members.begin(), members.end(), [](const Member& a, const Member& b) {
      return a.evictor->follows_fifo_until() < b.evictor->follows_fifo_until();
    });
  }

  /// Runs members with one SAF and OTN, sorted; each leaves the branch when its evictor may differ.
  void simulate_branch(SimulationEngine& branch, std::span<const Member> members,
                       double shared_ms) {
    Clock::time_point start = Clock::now();
    for (; members.size() > 1; members = members.subspan(1)) {
      const SimTime until = members.front().evictor->follows_fifo_until();
      if (branch.run({.time = until, .events = events_}) == RunPause::kFinished) {
        return finish(branch, members, Shares::kSameOffer, start, shared_ms);
      }
      shared_ms += milliseconds_since(start) / static_cast<double>(members.size());
      const Clock::time_point fork_start = Clock::now();
      SimulationEngine fork(branch, allocator_of(members.front()));
      finish(fork, members.first(1), Shares::kNone, fork_start, shared_ms);
      start = Clock::now();
    }
    finish(branch, members, Shares::kNone, start, shared_ms);
  }

  /// Ends what is the run of all these members.
  void finish(SimulationEngine& engine, std::span<const Member> members, Shares shares,
              Clock::time_point start, double shared_ms) {
    engine.run({.events = events_});
    RunResult result = engine.result();
    result.wall_ms = shared_ms + milliseconds_since(start) / static_cast<double>(members.size());
    for (const Member& member : members) record_(member.index, result);
    if (runs_.empty()) return;
    const auto at = std::make_shared<const SimulationEngine::AtCut>(engine.at_cut());
    for (const Member& member : members) runs_[member.index] = {.shares = shares, .at = at};
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
  std::size_t events_ = SIZE_MAX;  // of the schedule, to the end
  std::span<GroupRun> runs_;       // empty: of the whole schedule
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

void simulate_to_next_cut(const EventSchedule& schedule, const HostMix& host, std::size_t hosts,
                          std::span<const AllocatorSpec> allocators, std::size_t cut,
                          std::span<GroupRun> runs,
                          const std::function<void(std::size_t, const RunResult&)>& record) {
  GroupSimulation group(schedule, host, hosts, allocators, record, false);
  group.go_to_cut(cut, runs);
  group.simulate();
}

}  // namespace cospot
