#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/model/host_table.hpp"
#include "core/model/revenue.hpp"
#include "core/model/sim_time.hpp"
#include "guarantees/sla/kept_promises.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/run/run_observer.hpp"
#include "sim_harness/studies/provider/parts/economy_levels.hpp"

namespace cospot {

/// Equal parts of a window, in time.
struct WindowParts {
  SimTime window{0};
  std::size_t count = 0;

  [[nodiscard]] SimTime begin(std::size_t part) const {
    return part == count ? window
                         : SimTime(window.count() / static_cast<std::int64_t>(count) *
                                   static_cast<std::int64_t>(part));
  }
  [[nodiscard]] SimTime end(std::size_t part) const { return begin(part + 1); }
  /// The part of a time; what comes before the window is in its first part, what comes after in its
  /// last.
  [[nodiscard]] std::size_t of(SimTime time) const;
};

/// A class of promised lifetimes: a spot lives at least so long, with all but this probability.
struct PromiseClass {
  SimTime life{0};
  double broken = 0;  ///< the probability that is allowed

  friend bool operator==(const PromiseClass&, const PromiseClass&) = default;
};

/// What became of the promises of one class. A spot that its owner ended earlier tests nothing.
struct PromiseTally {
  std::uint64_t given = 0;
  PromiseCount tested{};  ///< of them, those that lived so long or were evicted before

  PromiseTally& operator+=(const PromiseTally& other) {
    given += other.given;
    tested.promised += other.tested.promised;
    tested.broken += other.tested.broken;
    return *this;
  }
};

/// A part says something by itself if it tested so many promises of a class.
inline constexpr std::uint64_t kLeastTested = 30;

/// What instances of one level asked for, earned and went through in a part.
struct LevelAccount {
  Revenue requested = 0;
  Revenue earned = 0;
  std::uint64_t requests = 0;   ///< that begin in the part
  std::uint64_t placed = 0;     ///< placements in the part
  std::uint64_t evictions = 0;  ///< in the part
};

struct PartAccount {
  std::array<LevelAccount, kLevels> levels{};
  std::vector<PromiseTally> promises{};  ///< by class

  [[nodiscard]] const LevelAccount& of(Level level) const {
    return levels[static_cast<std::size_t>(level)];
  }
};

/// Of the class at `index`, over the parts in [from, to).
[[nodiscard]] PromiseTally tally_of(std::span<const PartAccount> parts, std::size_t index,
                                    std::size_t from, std::size_t to);

/// Whether a class held before the part `to`: surely over all parts before, and in the last of them
/// that tested enough, so that a class which broke lately is not sold because of a calm past.
[[nodiscard]] bool held_before(std::span<const PartAccount> parts, std::size_t index,
                               const PromiseClass& promise, std::size_t to);

/// Keeps the accounts of a run by the parts of its window. What an instance earns is counted in
/// each part that it runs in, so that the parts add up to what the engine says of the whole run;
/// what is promised counts in the part in which the spot begins.
class PartAccounts final : public RunObserver {
 public:
  /// Args: schedule: outlives it. level_of: of each row; empty: VMs and spots. classes: what is
  /// promised where the forecasts of a request know it. hosts: of the engine that it watches.
  PartAccounts(const EventSchedule& schedule, const Workload& workload, WindowParts parts,
               std::vector<std::uint8_t> level_of, std::span<const PromiseClass> classes,
               const HostTable& hosts);

  void placed(const Request& request, HostIndex host) override;
  void evicted(InstanceIndex victim, HostIndex host, const Request& for_vm) override;
  void departed(InstanceIndex instance, HostIndex host, SimTime time) override;
  void happened(const LifeEvent& event) override;

  /// When the run is over: what still runs does so to the end of the window.
  [[nodiscard]] std::vector<PartAccount> finish();

 private:
  /// What an instance does now.
  struct Stay {
    SimTime since = kNever;     ///< kNever: it does not run
    std::uint64_t classes = 0;  ///< promised, a bit each
  };

  void count_requests(const Workload& workload);
  void promise(const Request& request, HostIndex host);
  void end_stay(InstanceIndex instance, SimTime time, bool is_evicted);
  void add(InstanceIndex instance, SimTime from, SimTime to, Revenue LevelAccount::*amount);
  [[nodiscard]] std::size_t level_of(InstanceIndex instance) const { return level_of_[instance]; }

  const EventSchedule* schedule_;
  WindowParts parts_;
  std::vector<std::uint8_t> level_of_;
  std::vector<ResourceAmount> vcpus_;
  std::span<const PromiseClass> classes_;
  const HostTable* hosts_;
  std::vector<Stay> stays_;
  std::vector<PartAccount> accounts_;
};

}  // namespace cospot
