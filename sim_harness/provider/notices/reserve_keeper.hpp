#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/handshake/reserved_hosts.hpp"
#include "core/provider/provider_hosts.hpp"
#include "sim_harness/provider/notices/notice_result.hpp"
#include "sim_harness/provider/notices/reserve_settings.hpp"

namespace cospot {

/// A spot's notice of its eviction.
struct Notice {
  InstanceIndex spot = 0;
  HostIndex host = kNoHost;
  ResourceVector size{};
  SimTime given_at{0};
  SimTime evict_at{0};
};

/// Keeps a reserve of free capacity by the rule of ReservedHosts: says which spots must be evicted
/// for it and which notices can be withdrawn. It evicts nothing itself.
class ReserveKeeper {
 public:
  /// Args: hosts: outlives it, and has an evictor. instances: upper bound of their numbers. window:
  /// the time in which a lack of reserve counts.
  ReserveKeeper(const ProviderHosts& hosts, const ReserveSettings& settings, std::size_t instances,
                SimTime window);

  /// The notices given and withdrawn at one moment.
  struct News {
    std::vector<Notice> withdrawn{};
    std::vector<Notice> given{};
  };
  /// Withdraws unnecessary notices, then gives notice to as many spots as the reserve still lacks,
  /// choosing them host by host as an evictor would. The capacity counts as unchanged until the
  /// next call.
  [[nodiscard]] News keep(SimTime now);

  /// Withdraws notices that a complete reserve does not need, the most recent first, and those on
  /// hosts that take no VM.
  [[nodiscard]] std::vector<Notice> withdraw_needless();

  /// The notices that have ended, in the order in which they were given.
  [[nodiscard]] std::vector<Notice> over(SimTime now) const;

  /// Reports that a spot is being evicted; call it before left().
  void evicted(InstanceIndex spot, SimTime now, bool for_reserve);
  /// Reports that a spot has left its host, for any reason.
  void left(InstanceIndex spot);

  /// Requires a finished run.
  [[nodiscard]] NoticeResult result() const;

 private:
  [[nodiscard]] const HostTable& table() const { return hosts_->table(); }
  [[nodiscard]] bool is_told(InstanceIndex spot) const { return told_at_[spot] != kNever; }
  [[nodiscard]] bool may_be_told(const RunningSpot& spot) const;
  [[nodiscard]] std::vector<Notice> withdraw();
  [[nodiscard]] std::vector<Notice> give(SimTime now);
  void note_lack(SimTime now);
  /// Updates the counts of hosts that have changed.
  void look();
  void count_anew(HostIndex host);
  void end(const Notice& notice);
  [[nodiscard]] std::optional<ReserveCandidate> best(SimTime now);

  const ProviderHosts* hosts_;
  ReserveSettings settings_;
  SimTime window_;
  RankedEvictions evictions_;
  std::vector<Notice> notices_;                 // in the order in which they were given
  std::vector<SimTime> told_at_;                // per instance; kNever: no notice
  std::vector<ResourceVector> going_;           // per host, held by the spots with notice
  std::vector<std::uint64_t> seen_generation_;  // per host
  ReservedHosts now_, then_;                    // `then`: once all spots with notice have left
  std::optional<SimTime> lacks_since_;
  NoticeResult result_;
};

}  // namespace cospot
