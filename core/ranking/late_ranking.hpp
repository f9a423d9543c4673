#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/ranking/chain.hpp"

namespace cospot {

/// A chain's order of the hosts of one table that hears of changes when it is next asked: until
/// then a host has often changed more than once. Without a chain it ranks nothing.
class LateRanking {
 public:
  LateRanking() = default;
  /// `chain` and `hosts` outlive it; nullptr: no chain.
  LateRanking(const Chain* chain, const HostTable& hosts)
      : ranking_(chain == nullptr ? nullptr : chain->make_ranking(hosts)),
        stale_(ranking_ == nullptr ? 0 : hosts.size()),
        is_stale_(hosts.size(), ranking_ == nullptr ? 1 : 0),  // then nobody is told
        watches_spots_(ranking_ != nullptr && ranking_->sees_spots()) {}

  /// The same over `copy`, a copy of the table that `other` ranks.
  LateRanking(const LateRanking& other, const HostTable& copy)
      : ranking_(other.ranking_ == nullptr ? nullptr : other.ranking_->clone(copy)),
        stale_(other.stale_),
        stale_hosts_(other.stale_hosts_),
        is_stale_(other.is_stale_),
        watches_spots_(other.watches_spots_) {}

  /// Hears of every spot, also where none can change the order (HostRanking::sees_spots).
  void watch_spots() { watches_spots_ = true; }

  void host_changed(HostIndex host) {
    if (is_stale_[host] != 0) return;
    is_stale_[host] = 1;
    stale_[stale_hosts_++] = host;
  }
  /// Only spots came or went.
  void spots_changed(HostIndex host) {
    if (watches_spots_) host_changed(host);
  }

  /// Brought up to date.
  [[nodiscard]] HostRanking& current() {
    HostRanking& ranking = *ranking_;
    const std::span<const HostIndex> stale(stale_.data(), std::exchange(stale_hosts_, 0));
    for (const HostIndex host : stale) {
      is_stale_[host] = 0;
      ranking.host_changed(host);
    }
    return ranking;
  }

 private:
  std::unique_ptr<HostRanking> ranking_;
  std::vector<HostIndex> stale_;  // the first of them: of whose changes it has not heard
  std::size_t stale_hosts_ = 0;
  std::vector<std::uint8_t> is_stale_;  // of each host
  bool watches_spots_ = false;
};

}  // namespace cospot
