#pragma once

#include <span>
#include <string_view>

#include "guarantees/pricing/checkpoint_model.hpp"
#include "sim_harness/data/markets/market.hpp"

namespace cospot {

/// In seconds, not rounded.
[[nodiscard]] double save_time(double memory_mb);
[[nodiscard]] double restore_time(double memory_mb, bool same_datacenter);

/// The fate of a running job when its instance is revoked.
enum class AfterRevocation : unsigned char {
  kRestart,    ///< it goes back to the list of jobs
  kWaitInBid,  ///< it waits until the same request is in bid again
  kMigrate,    ///< it moves to the cheapest place at once
};

/// The state in which the broker asks for a snapshot.
struct SnapshotContext {
  const PriceSeries* prices = nullptr;
  MicroUsd bid = 0;
  Seconds now = 0;
  Seconds save = 0;  ///< duration of a snapshot
};

/// A fault-tolerance mechanism. A const object without state.
///
/// Source: Voorsluys and Buyya, section IV; `interval` is ours.
class FaultTolerance {
 public:
  enum class Snapshots : unsigned char { kNone, kHourly, kInterval };

  FaultTolerance() = default;
  FaultTolerance(const FaultTolerance&) = delete;
  FaultTolerance& operator=(const FaultTolerance&) = delete;
  virtual ~FaultTolerance() = default;

  [[nodiscard]] virtual AfterRevocation recovery() const { return AfterRevocation::kRestart; }
  [[nodiscard]] virtual Snapshots snapshots() const { return Snapshots::kNone; }
  /// Working time between two snapshots, for Snapshots::kInterval.
  [[nodiscard]] virtual Seconds interval(const SnapshotContext& /*context*/) const { return kHour; }
  /// True if a job with this expected run time gets a replica.
  [[nodiscard]] virtual bool duplicates(Seconds /*expected*/) const { return false; }
};

/// Restarts a failed job from the beginning.
class NoFaultTolerance final : public FaultTolerance {};

/// Finishes a snapshot at every hour of the lease, so that paid work is kept. After a revocation
/// the same request waits until it is in bid again.
class HourlyCheckpoint final : public FaultTolerance {
 public:
  [[nodiscard]] AfterRevocation recovery() const override { return AfterRevocation::kWaitInBid; }
  [[nodiscard]] Snapshots snapshots() const override { return Snapshots::kHourly; }
};

/// Takes the same snapshots. After a revocation the job moves to the market where its remaining
/// work costs least.
class Migration final : public FaultTolerance {
 public:
  [[nodiscard]] AfterRevocation recovery() const override { return AfterRevocation::kMigrate; }
  [[nodiscard]] Snapshots snapshots() const override { return Snapshots::kHourly; }
};

/// Runs a job that is expected to take more than an hour twice, in two different markets.
class Duplication final : public FaultTolerance {
 public:
  [[nodiscard]] bool duplicates(Seconds expected) const override { return expected > kHour; }
};

/// Ours: migration with snapshots at the optimal interval of transient guarantees, sqrt(2 x save
/// time x mean time to revocation). The mean time is the one observed last week for this market and
/// bid. Source: Shastri et al., 2016, eq. 1.
class OptimalInterval final : public FaultTolerance {
 public:
  [[nodiscard]] AfterRevocation recovery() const override { return AfterRevocation::kMigrate; }
  [[nodiscard]] Snapshots snapshots() const override { return Snapshots::kInterval; }
  [[nodiscard]] Seconds interval(const SnapshotContext& context) const override;
};

/// The mean time to revocation of a bid, observed over the last week, at least a minute. Without a
/// revocation: the week's total time in bid.
[[nodiscard]] Seconds observed_lifetime(const PriceSeries& prices, MicroUsd bid, Seconds now);

struct FaultToleranceEntry {
  std::string_view name;
  std::string_view summary;
  const FaultTolerance* mechanism;
};

[[nodiscard]] std::span<const FaultToleranceEntry> fault_tolerance_mechanisms();

}  // namespace cospot
