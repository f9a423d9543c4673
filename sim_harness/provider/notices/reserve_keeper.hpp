#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/handshake/ranked_evictions.hpp"
#include "core/provider/provider_hosts.hpp"
#include "sim_harness/provider/notices/notice_result.hpp"
#include "sim_harness/provider/notices/reserve_settings.hpp"

namespace cospot {

/// A spot was told that it will be evicted.
struct Notice {
  InstanceIndex spot = 0;
  HostIndex host = kNoHost;
  ResourceVector size{};
  SimTime given_at{0};
  SimTime evict_at{0};
};

/// Keeps a reserve of free capacity: tells which spots have to go for it, and which may stay after
/// all. It evicts nobody itself. Source: cospot/nova/evictor/reserve_keeper.py, which keeps one in
/// Nova by the same rules; docs/semantics.md.
class ReserveKeeper {
 public:
  /// Args: hosts: outlives it, and has an evictor. instances: numbers are below it. window: in
  /// which the reserve's lack counts.
  ReserveKeeper(const ProviderHosts& hosts, const ReserveSettings& settings, std::size_t instances,
                SimTime window);

  /// What spots hear at one moment.
  struct News {
    std::vector<Notice> withdrawn{};
    std::vector<Notice> given{};
  };
  /// Withdraws what is needless, and tells as many spots as the reserve then lacks, which it
  /// chooses host by host as an evictor would. The capacity is as it is from now on, until the next
  /// call.
  [[nodiscard]] News keep(SimTime now);

  /// Withdraws the notices without which the reserve will be complete too, the last one given
  /// first; and those on hosts that take no VM.
  [[nodiscard]] std::vector<Notice> withdraw_needless();

  /// The notices that are over, in the order in which they were given.
  [[nodiscard]] std::vector<Notice> over(SimTime now) const;

  /// A spot is evicted now; comes before left().
  void evicted(InstanceIndex spot, SimTime now, bool for_reserve);
  /// A spot is not on its host any more, for whatever reason.
  void left(InstanceIndex spot);

  /// Of a run that is over.
  [[nodiscard]] NoticeResult result() const;

 private:
  /// Spots of one host that would have to go for one more VM, and what they cost.
  struct Candidate {
    std::vector<RunningSpot> spots{};
    std::size_t promised = 0;
    double score = 0;
    HostIndex host = kNoHost;

    [[nodiscard]] bool is_better_than(const Candidate& other) const;
  };

  [[nodiscard]] const HostTable& table() const { return hosts_->table(); }
  [[nodiscard]] bool is_told(InstanceIndex spot) const { return told_at_[spot] != kNever; }
  [[nodiscard]] bool may_be_told(const RunningSpot& spot) const;
  /// What a host will have free when all who were told have gone.
  [[nodiscard]] ResourceVector free_then(HostIndex host) const {
    return table().free(host, Sees::kVmsAndSpots) + going_[host];
  }
  /// What must become free on a host beyond that for one more VM.
  [[nodiscard]] ResourceVector need(HostIndex host) const;
  [[nodiscard]] std::vector<Notice> give(SimTime now);
  void note_lack(SimTime now);
  /// Brings the counts up to date where hosts have changed.
  void look();
  void count_anew(HostIndex host);
  void end(const Notice& notice);
  [[nodiscard]] std::vector<HostIndex> nearest() const;
  [[nodiscard]] std::optional<Candidate> best(SimTime now);
  [[nodiscard]] std::optional<Candidate> candidate(HostIndex host, SimTime now);
  [[nodiscard]] bool plan(std::vector<RunningSpot>& spots, const ResourceVector& need, SimTime now,
                          double& score);
  [[nodiscard]] std::vector<RunningSpot> needed(HostIndex host,
                                                const std::vector<RunningSpot>& chosen) const;

  const ProviderHosts* hosts_;
  ReserveSettings settings_;
  SimTime window_;
  RankedEvictions evictions_;
  RankedPlan plan_;                               // scratch
  std::vector<Notice> notices_;                   // in the order in which they were given
  std::vector<SimTime> told_at_;                  // of each instance; kNever: it is not told
  std::vector<ResourceVector> going_;             // of each host, what those who are told hold
  std::vector<std::uint64_t> seen_generation_;    // of each host
  std::vector<std::int64_t> vms_now_, vms_then_;  // that fit on each host; then: free_then()
  std::int64_t all_now_ = 0, all_then_ = 0;
  std::optional<SimTime> lacks_since_;
  NoticeResult result_;
};

}  // namespace cospot
