#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/model/host_table.hpp"
#include "core/model/revenue.hpp"
#include "core/model/sim_time.hpp"
#include "guarantees/sla/kept_promises.hpp"
#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/experiments/money/income.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/run/run_observer.hpp"
#include "sim_harness/studies/provider/parts/economy_levels.hpp"

namespace cospot {

/// The parts of a window, of equal duration.
struct WindowParts {
  SimTime window{0};
  std::size_t count = 0;

  [[nodiscard]] SimTime begin(std::size_t part) const {
    return part == count ? window
                         : SimTime(window.count() / static_cast<std::int64_t>(count) *
                                   static_cast<std::int64_t>(part));
  }
  [[nodiscard]] SimTime end(std::size_t part) const { return begin(part + 1); }
  /// The part that contains a time. Times before the window belong to its first part, times after
  /// it to its last.
  [[nodiscard]] std::size_t of(SimTime time) const;
  /// The block of its part (kPartBlocks) that contains a time of the window.
  [[nodiscard]] std::size_t block_of(SimTime time) const;
};

/// A class of promised lifetimes: a spot lives at least this long, except with the probability
/// `broken`.
struct PromiseClass {
  SimTime life{0};
  double broken = 0;  ///< allowed probability

  friend bool operator==(const PromiseClass&, const PromiseClass&) = default;
};

/// The blocks of time of a part, by which bursts of evictions show.
inline constexpr std::size_t kPartBlocks = 4;

/// The outcomes of the promises of one class. A spot that its owner ended early is not a test.
struct PromiseTally {
  std::uint64_t given = 0;
  /// Spots that lived as long as promised or were evicted earlier, by the block of time in which
  /// they began.
  std::vector<PromiseCount> blocks{};

  [[nodiscard]] PromiseCount tested() const { return sum_of(blocks); }
  /// Appends the tally of a later time.
  void append(const PromiseTally& later) {
    given += later.given;
    blocks.insert(blocks.end(), later.blocks.begin(), later.blocks.end());
  }
};

/// The tested promises of a class that make a part meaningful by itself.
inline constexpr std::uint64_t kLeastTested = 30;

/// Requests, revenue and evictions of the instances of one level in a part.
struct LevelAccount {
  Revenue requested = 0;
  Revenue earned = 0;
  std::uint64_t requests = 0;   ///< that begin in the part
  std::uint64_t placed = 0;     ///< placements in the part
  std::uint64_t carried = 0;    ///< instances that already run when the part begins
  std::uint64_t evictions = 0;  ///< in the part
  std::uint64_t early = 0;      ///< of these, within a day of their placement or resize
  std::uint64_t broken = 0;     ///< of these, Economy instances within their promised time

  LevelAccount& operator+=(const LevelAccount& other);
};

struct PartAccount {
  std::array<LevelAccount, kLevels> levels{};
  std::vector<PromiseTally> promises{};  ///< by class: of the spots that begin in the part
  /// By class: the promises whose end came in the part, whenever they were given. A promise is kept
  /// once its spot has lived so long, and broken when it is evicted.
  std::vector<PromiseCount> outcomes{};

  [[nodiscard]] const LevelAccount& of(Level level) const {
    return levels[static_cast<std::size_t>(level)];
  }
  [[nodiscard]] LevelAccount& of(Level level) { return levels[static_cast<std::size_t>(level)]; }
  /// Adds the levels of another account, without its promises.
  PartAccount& operator+=(const PartAccount& other);
};

/// 0 of nothing.
[[nodiscard]] double share_of(Revenue part, Revenue whole);
/// The income of a part at these prices, without its days.
[[nodiscard]] Income income_of(const PartAccount& part, const VcpuHourPrices& prices);
/// As a fraction of the requested VM revenue.
[[nodiscard]] double vm_loss_of(const PartAccount& part);
/// The share of their requested revenue that spots and Economy instances earn.
[[nodiscard]] double served_of(const PartAccount& part);

/// True if a class held before part `to`, by the promises whose outcome was known by then:
/// significantly over all earlier parts, and also in the last of them with enough outcomes, so that
/// a class that broke recently is not sold because of a calm past.
[[nodiscard]] bool held_before(std::span<const PartAccount> parts, std::size_t index,
                               const PromiseClass& promise, std::size_t to);

/// Keeps the accounts of a run per part of its window. An instance's revenue is counted in each
/// part in which it runs, so that the parts add up to the engine's total; a promise counts in the
/// part in which its spot begins.
class PartAccounts final : public RunObserver {
 public:
  /// Args: schedule: outlives it. level_of: of each row; empty: VMs and spots. classes: the
  /// promises, where a request's forecasts know them. hosts: of the observed engine. key_of: of
  /// each row, from 0: each key also gets an account, of the whole window.
  PartAccounts(const EventSchedule& schedule, const Workload& workload, WindowParts parts,
               std::vector<std::uint8_t> level_of, std::span<const PromiseClass> classes,
               const HostTable& hosts, std::span<const std::uint32_t> key_of = {});

  [[nodiscard]] bool sees_decisions() const override { return false; }
  void placed(const Request& request, HostIndex host) override;
  void evicted(InstanceIndex victim, HostIndex host, const Request& for_vm) override;
  void departed(InstanceIndex instance, HostIndex host, SimTime time) override;
  void happened(const LifeEvent& event) override;

  /// Requires a finished run: running instances count to the end of the window.
  [[nodiscard]] std::vector<PartAccount> finish();
  /// The accounts by key, complete after `finish`.
  [[nodiscard]] std::vector<PartAccount> take_by_key() { return std::move(by_key_); }

 private:
  /// The current placement of an instance.
  struct Stay {
    SimTime since = kNever;           ///< kNever: not running
    std::uint64_t classes = 0;        ///< promised classes, one bit each
    SimTime promised_until = kNever;  ///< of an Economy instance
  };

  /// Adds to the account of an instance's level in a part, and to that of its key.
  void count(std::size_t part, InstanceIndex instance, const LevelAccount& more);
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
  std::span<const std::uint32_t> key_of_;
  std::vector<PartAccount> by_key_;
};

}  // namespace cospot
