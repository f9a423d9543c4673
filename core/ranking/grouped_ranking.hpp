#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/ranking/host_groups.hpp"
#include "core/ranking/keyed_ranking.hpp"
#include "core/ranking/place_ranking.hpp"

namespace cospot {

/// Ranks hosts by weigher `T` alone, as KeyedRanking does, where one order by key will not do:
/// hosts of one total, or of one place, are kept in an order of their own, and a walk takes the
/// best of the groups' next hosts. What a change costs, and most of a walk, is that of one group.
template <class T, class Key, template <class> class Hosts>
class GroupedRanking final : public PlaceRanking {
 public:
  /// `weigher` and `hosts` outlive the ranking; `groups` are all hosts of the table.
  GroupedRanking(const T& weigher, const HostTable& hosts, std::span<const HostGroup> groups,
                 Sees feasible, bool prefer_spot_free, double key_factor_or_0)
      : group_of_(hosts.size()), counts_(!prefer_spot_free && feasible == Sees::kVms) {
    groups_.reserve(groups.size());
    for (const HostGroup& group : groups) {
      for (const HostIndex host : group.hosts) {
        group_of_[host] = static_cast<std::uint32_t>(groups_.size());
      }
      const double factor = key_factor_or_0 > 0 ? key_factor_or_0 : weigher.key_factor(group.total);
      groups_.push_back(
          {Ranking(weigher, hosts, group, feasible, prefer_spot_free, factor), group.place});
    }
  }

  void allow_places(std::span<const std::uint8_t> allowed) override { allowed_ = allowed; }

  void host_changed(HostIndex host) override {
    groups_[group_of_[host]].ranking.host_changed(host);
  }

  [[nodiscard]] bool sees_spots() const override {
    return groups_.empty() || groups_.front().ranking.sees_spots();
  }

  void start(const Request& request) override {
    for (Group& group : groups_) {
      group.is_walked = allowed_.empty() || allowed_[group.place] != 0;
      if (group.is_walked) group.ranking.start(request);
    }
    is_open_ = false;
  }

  [[nodiscard]] HostIndex next() override {
    if (!is_open_) {
      for (Group& group : groups_) group.advance();
      is_open_ = true;
    } else if (given_ != nullptr) {
      given_->advance();
    }
    given_ = nullptr;
    for (Group& group : groups_) {
      if (group.head == kNoHost) continue;
      if (given_ == nullptr || group.ranks_before(*given_)) given_ = &group;
    }
    return given_ == nullptr ? kNoHost : given_->head;
  }

  [[nodiscard]] HostIndex first_without_eviction(std::size_t within) const override {
    HostIndex best = kNoHost;
    Standing standing;
    for (const Group& group : groups_) {
      if (!group.is_walked) continue;
      const HostIndex host = group.ranking.first_without_eviction(SIZE_MAX);
      if (host == kNoHost) continue;
      const Standing at = group.ranking.standing_of(host);
      if (best != kNoHost && !ranks_before(at, host, standing, best)) continue;
      best = host;
      standing = at;
    }
    // Where hosts without evictions rank before all others, there is nothing to count.
    if (best == kNoHost || within == SIZE_MAX || !counts_) return best;
    return count_before(standing, best, within) < within ? best : kNoHost;
  }

  [[nodiscard]] Standing standing_of(HostIndex host) const override {
    return groups_[group_of_[host]].ranking.standing_of(host);
  }

  [[nodiscard]] double weight_spread() const override {
    WeightRange all;
    for (const Group& group : groups_) {
      if (group.is_walked) all.include(group.ranking.weight_range());
    }
    return all.greatest - all.least;
  }

  [[nodiscard]] std::unique_ptr<PlaceRanking> clone_places(const HostTable& copy) const override {
    auto twin = std::make_unique<GroupedRanking>(*this);
    for (Group& group : twin->groups_) group.ranking.rebind(copy);
    twin->is_open_ = false;
    twin->given_ = nullptr;
    return twin;
  }

 private:
  using Ranking = KeyedRanking<T, Key, Hosts>;

  struct Group {
    Ranking ranking;
    PlaceIndex place = 0;
    bool is_walked = true;
    HostIndex head = kNoHost;  ///< its next host in the walk, and where that stands
    Standing standing{};

    void advance() {
      head = is_walked ? ranking.next() : kNoHost;
      if (head != kNoHost) standing = ranking.standing_of(head);
    }
    [[nodiscard]] bool ranks_before(const Group& other) const {
      return GroupedRanking::ranks_before(standing, head, other.standing, other.head);
    }
  };

  [[nodiscard]] static bool ranks_before(const Standing& a, HostIndex host_a, const Standing& b,
                                         HostIndex host_b) {
    if (a.tiers != b.tiers) return a.tiers > b.tiers;
    if (a.weight != b.weight) return a.weight > b.weight;
    return host_a < host_b;
  }

  /// How many hosts rank before one; counts no further than `enough`.
  [[nodiscard]] std::size_t count_before(const Standing& standing, HostIndex host,
                                         std::size_t enough) const {
    std::size_t count = 0;
    for (const Group& group : groups_) {
      if (count >= enough) return count;
      if (group.is_walked) count += group.ranking.count_before(standing, host, enough - count);
    }
    return count;
  }

  std::vector<Group> groups_;
  std::vector<std::uint32_t> group_of_;  // of each host
  bool counts_;  // hosts that need evictions may rank before some that need none
  std::span<const std::uint8_t> allowed_;
  bool is_open_ = false;
  Group* given_ = nullptr;  // whose head was handed out
};

}  // namespace cospot
