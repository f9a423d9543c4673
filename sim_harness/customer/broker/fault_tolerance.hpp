#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "sim_harness/data/markets/market.hpp"

namespace cospot {

// How long saving and restoring an instance of m MB of memory takes (Sotomayor et al., 2009).
inline constexpr double kSaveMbPerSecond = 63.67;
inline constexpr double kRestoreMbPerSecond = 81.27;     ///< in the same datacenter
inline constexpr double kFarRestoreMbPerSecond = 40.64;  ///< in another one

/// Seconds, not rounded.
[[nodiscard]] double save_time(double memory_mb);
[[nodiscard]] double restore_time(double memory_mb, bool same_datacenter);

/// What becomes of the running job when its instance is revoked.
enum class AfterRevocation : unsigned char {
  kRestart,    ///< it goes back to the list of jobs
  kWaitInBid,  ///< it waits until the same request is in bid again
  kMigrate,    ///< it moves to the cheapest place at once
};

/// When the broker asks for a snapshot.
struct SnapshotContext {
  const PriceSeries* prices = nullptr;
  MicroUsd bid = 0;
  Seconds now = 0;
  Seconds save = 0;                        ///< what a snapshot takes
  std::optional<Seconds> told_lifetime{};  ///< Market::told_lifetime
};

/// One mechanism of fault tolerance. A const object without state.
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
  /// Work between two snapshots, for Snapshots::kInterval.
  [[nodiscard]] virtual Seconds interval(const SnapshotContext& /*context*/) const { return kHour; }
  /// Whether a job that is expected to take so long gets a replica.
  [[nodiscard]] virtual bool duplicates(Seconds /*expected*/) const { return false; }
};

/// A failed job starts again from the beginning.
class NoFaultTolerance final : public FaultTolerance {};

/// A snapshot ends at every hour of the lease, so that paid work is kept; after a revocation the
/// same request waits until it is in bid again.
class HourlyCheckpoint final : public FaultTolerance {
 public:
  [[nodiscard]] AfterRevocation recovery() const override { return AfterRevocation::kWaitInBid; }
  [[nodiscard]] Snapshots snapshots() const override { return Snapshots::kHourly; }
};

/// The same snapshots; after a revocation the job moves to where the rest of it costs least.
class Migration final : public FaultTolerance {
 public:
  [[nodiscard]] AfterRevocation recovery() const override { return AfterRevocation::kMigrate; }
  [[nodiscard]] Snapshots snapshots() const override { return Snapshots::kHourly; }
};

/// A job that is expected to take more than an hour runs twice, in two different markets.
class Duplication final : public FaultTolerance {
 public:
  [[nodiscard]] bool duplicates(Seconds expected) const override { return expected > kHour; }
};

/// Ours: migration with snapshots at the optimal interval of transient guarantees,
/// sqrt(2 x save time x mean time to revocation), where the mean time is what the last week shows
/// for this market and bid. Source: Shastri et al., 2016, eq. 1.
class OptimalInterval final : public FaultTolerance {
 public:
  [[nodiscard]] AfterRevocation recovery() const override { return AfterRevocation::kMigrate; }
  [[nodiscard]] Snapshots snapshots() const override { return Snapshots::kInterval; }
  [[nodiscard]] Seconds interval(const SnapshotContext& context) const override;
};

/// The same with the mean time that the provider's signals tell; without them, as OptimalInterval.
class SignalledInterval final : public FaultTolerance {
 public:
  [[nodiscard]] AfterRevocation recovery() const override { return AfterRevocation::kMigrate; }
  [[nodiscard]] Snapshots snapshots() const override { return Snapshots::kInterval; }
  [[nodiscard]] Seconds interval(const SnapshotContext& context) const override;
};

/// The mean time to revocation of a bid as the last week shows it, at least a minute; with no
/// revocation, the time in bid of the whole week.
[[nodiscard]] Seconds observed_lifetime(const PriceSeries& prices, MicroUsd bid, Seconds now);

struct FaultToleranceEntry {
  std::string_view name;
  std::string_view summary;
  const FaultTolerance* mechanism;
  bool uses_signals = false;
};

[[nodiscard]] std::span<const FaultToleranceEntry> fault_tolerance_mechanisms();

}  // namespace cospot
