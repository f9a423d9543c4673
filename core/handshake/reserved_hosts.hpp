#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/handshake/ranked_evictions.hpp"
#include "core/model/host_table.hpp"
#include "core/model/reserved_capacity.hpp"

namespace cospot {

/// The spots of one host to evict for one more VM of a reserve, in this order, and their cost.
struct ReserveCandidate {
  std::size_t promised = 0;  ///< spots among them that are promised to live on
  double score = 0;
  HostIndex host = kNoHost;
  std::vector<RunningSpot> spots{};

  [[nodiscard]] bool is_better_than(const ReserveCandidate& other) const;
};

/// A spot with notice: its host, kNoHost for a spot that left them all, and the capacity it holds.
struct NoticedSpot {
  HostIndex host = kNoHost;
  ResourceVector size{};
};

/// The rule by which a reserve is kept, on the hosts of the reserve: the VMs that it lacks, the
/// spots to evict for one more, the notices that it does without. The simulation and the service in
/// Nova keep their reserves by it; docs/semantics.md.
class ReservedHosts {
 public:
  /// The hosts take no VM until they are set.
  ReservedHosts(const ReservedCapacity& reserved, std::size_t hosts)
      : reserved_(reserved), hosts_(hosts) {}

  [[nodiscard]] std::size_t size() const { return hosts_.size(); }

  /// Sets the capacity of a host that is free once all spots that must leave it have left. Nothing:
  /// the host takes no VM, whoever leaves it.
  void set(HostIndex host, const std::optional<ResourceVector>& free);

  /// The number of VMs for which the hosts have no free capacity.
  [[nodiscard]] std::int64_t missing() const {
    return std::max<std::int64_t>(reserved_.count - vms_, 0);
  }

  /// The number of VMs that fit on a host.
  [[nodiscard]] std::int64_t vms_on(HostIndex host) const { return hosts_[host].vms; }

  /// The amounts that must still become free on a host for one more VM.
  [[nodiscard]] ResourceVector need(HostIndex host) const;

  /// The hosts on which to look for spots: those that lack least for one more VM, of the hosts
  /// whose spots hold the lacking amounts. `held`: by the spots of each host that may be evicted.
  [[nodiscard]] std::vector<HostIndex> nearest(std::span<const ResourceVector> held) const;

  /// The spots to evict for one more VM on a host, of `spots`, which may be evicted; the one placed
  /// first is the first. Nothing: all of them do not suffice.
  [[nodiscard]] std::optional<ReserveCandidate> candidate(HostIndex host,
                                                          std::span<const RunningSpot> spots,
                                                          SimTime now,
                                                          RankedEvictions& evictions) const;

  /// Takes back the notices without which the reserve is complete, the last one first: their
  /// capacity is not free any more. Returns their positions in that order.
  [[nodiscard]] std::vector<std::size_t> withdraw_needless(std::span<const NoticedSpot> noticed);

 private:
  struct Host {
    std::optional<ResourceVector> free{};
    std::int64_t vms = 0;
  };

  [[nodiscard]] std::vector<RunningSpot> needed(HostIndex host,
                                                const std::vector<RunningSpot>& chosen) const;

  ReservedCapacity reserved_;
  std::vector<Host> hosts_;
  std::int64_t vms_ = 0;  // that fit on all hosts
};

}  // namespace cospot
