#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/policy/place_ranking.hpp"
#include "core/ranking/host_groups.hpp"
#include "core/ranking/keyed_ranking.hpp"

namespace cospot {

/// Ranks hosts by weigher `T` alone, as KeyedRanking does, where one order by key will not do:
/// hosts of one total, or of one place, are kept in an order of their own, and a walk takes the
/// best of the groups' next hosts. What a change costs is that of one group; so is most of a walk
/// where T::highest_weight tells that the other groups have no better host: a group hears of a
/// request when it is first looked at.
template <class T, class Key>
class GroupedRanking final : public PlaceRanking {
 public:
  /// `weigher` and `hosts` outlive the ranking; `groups` are all hosts of the table.
  GroupedRanking(const T& weigher, const HostTable& hosts, std::span<const HostGroup> groups,
                 Sees feasible, bool prefer_spot_free, double key_factor_or_0)
      : weigher_(&weigher),
        view_(hosts.view()),
        group_of_(hosts.size()),
        counts_(!prefer_spot_free && feasible == Sees::kVms) {
    groups_.reserve(groups.size());
    bounds_.reserve(groups.size());
    for (const HostGroup& group : groups) {
      for (const HostIndex host : group.hosts) {
        group_of_[host] = static_cast<std::uint32_t>(groups_.size());
      }
      const double factor = key_factor_or_0 > 0 ? key_factor_or_0 : weigher.key_factor(group.total);
      order_.push_back(static_cast<std::uint32_t>(groups_.size()));
      groups_.push_back({.ranking = {weigher, hosts, group, feasible, prefer_spot_free, factor},
                         .hosts = std::make_shared<const std::vector<HostIndex>>(group.hosts)});
      bounds_.push_back({.total = group.total, .place = group.place});
      if constexpr (T::kKeyPerTotal) find_keys(groups_.back(), bounds_.back());
    }
  }

  void allow_places(std::span<const std::uint8_t> allowed) override { allowed_ = allowed; }

  void host_changed(HostIndex host) override {
    const std::uint32_t number = group_of_[host];
    Group& group = groups_[number];
    const double key = group.ranking.take_change(host);
    if constexpr (T::kKeyPerTotal) {
      bounds_[number].keys.include(key);
      if (++group.changes >= group.hosts->size()) find_keys(group, bounds_[number]);
    }
  }

  [[nodiscard]] bool sees_spots() const override {
    return groups_.empty() || groups_.front().ranking.sees_spots();
  }

  void start(const Request& request) override {
    request_ = request;
    ++walk_;
    for (Bound& bound : bounds_) {
      bound.is_walked = allowed_.empty() || allowed_[bound.place] != 0;
      bound.highest_weight =
          bound.is_walked ? weigher_->highest_weight(request, bound.total, bound.keys) : kNone;
    }
    sort_groups();
    opened_ = 0;
    given_ = nullptr;
  }

  [[nodiscard]] HostIndex next() override {
    if (given_ != nullptr) given_->advance();
    given_ = nullptr;
    for (std::size_t i = 0; i < opened_; ++i) consider(groups_[order_[i]]);
    while (opened_ < order_.size()) {
      const std::uint32_t number = order_[opened_];
      Group& group = groups_[number];
      if (given_ != nullptr && ranks_before_all_of(given_->standing, number)) break;
      ++opened_;
      if (!bounds_[number].is_walked) {
        group.head = kNoHost;
        continue;
      }
      (void)asked(group);
      group.advance();
      consider(group);
    }
    return given_ == nullptr ? kNoHost : given_->head;
  }

  [[nodiscard]] HostIndex first_without_eviction(std::size_t within) const override {
    HostIndex best = kNoHost;
    Standing standing;
    for (const std::uint32_t number : order_) {
      const Group& group = groups_[number];
      if (!bounds_[number].is_walked) continue;
      if (best != kNoHost && ranks_before_all_of(standing, number)) break;
      const HostIndex host = asked(group).first_without_eviction(SIZE_MAX);
      if (host == kNoHost) continue;
      const Standing at = group.ranking.standing_of(host);
      if (best != kNoHost && !ranks_before(at, host, standing, best)) continue;
      best = host;
      standing = at;
    }
    // If hosts without evictions rank before all others, there is nothing to count.
    if (best == kNoHost || within == SIZE_MAX || !counts_) return best;
    return count_before(standing, best, within) < within ? best : kNoHost;
  }

  [[nodiscard]] Standing standing_of(HostIndex host) const override {
    return asked(groups_[group_of_[host]]).standing_of(host);
  }

  [[nodiscard]] double weight_spread() const override {
    WeightRange all;
    for (std::size_t number = 0; number < groups_.size(); ++number) {
      if (bounds_[number].is_walked) all.include(asked(groups_[number]).weight_range());
    }
    return all.greatest - all.least;
  }

  [[nodiscard]] std::unique_ptr<PlaceRanking> clone_places(const HostTable& copy) const override {
    auto twin = std::make_unique<GroupedRanking>(*this);
    twin->view_ = copy.view();
    for (Group& group : twin->groups_) group.ranking.rebind(copy);
    twin->opened_ = 0;
    twin->given_ = nullptr;
    return twin;
  }

 private:
  using Ranking = KeyedRanking<T, Key>;
  static constexpr double kNone = -std::numeric_limits<double>::infinity();

  struct Group {
    mutable Ranking ranking;
    std::shared_ptr<const std::vector<HostIndex>> hosts{};
    std::size_t changes = 0;  ///< of hosts since its range of keys was found: it may be too wide
    mutable std::uint64_t heard_walk = 0;  ///< whose request it has heard of
    HostIndex head = kNoHost;  ///< once it is opened: its next host, and where that stands
    Standing standing{};

    void advance() {
      head = ranking.next();
      if (head != kNoHost) standing = ranking.standing_of_last(head);
    }
    [[nodiscard]] bool ranks_before(const Group& other) const {
      return GroupedRanking::ranks_before(standing, head, other.standing, other.head);
    }
  };

  /// The part of a group that a start reads, by itself: it looks at all groups, and a walk at few.
  struct Bound {
    ResourceVector total{};  ///< the largest of each resource
    PlaceIndex place = 0;
    bool is_walked = true;
    KeyRange keys{};                ///< all hosts' keys are within
    double highest_weight = kNone;  ///< that a host of it may have for the request
  };

  /// By insertion: mostly they are few, and as they were.
  void sort_groups() {
    for (std::size_t i = 1; i < order_.size(); ++i) {
      const std::uint32_t number = order_[i];
      const double highest = bounds_[number].highest_weight;
      std::size_t to = i;
      for (; to > 0 && bounds_[order_[to - 1]].highest_weight < highest; --to) {
        order_[to] = order_[to - 1];
      }
      order_[to] = number;
    }
  }

  /// The ranking of a group, which has heard of the request.
  [[nodiscard]] const Ranking& asked(const Group& group) const {
    if (group.heard_walk != walk_) group.ranking.start(request_);
    group.heard_walk = walk_;
    return group.ranking;
  }

  /// Finds between which keys the hosts are. As often as hosts change that adds little to a change.
  void find_keys(Group& group, Bound& bound) const {
    bound.keys = {};
    group.changes = 0;
    for (const HostIndex host : *group.hosts) bound.keys.include(weigher_->host_key(view_[host]));
  }

  /// True if a host in this position ranks before all hosts that a group may have.
  [[nodiscard]] bool ranks_before_all_of(const Standing& standing, std::uint32_t number) const {
    return standing.weight > bounds_[number].highest_weight &&
           standing.tiers == groups_[number].ranking.highest_tiers();
  }

  /// Takes the group for the one whose next host comes next, if so it is.
  void consider(Group& group) {
    if (group.head == kNoHost) return;
    if (given_ == nullptr || group.ranks_before(*given_)) given_ = &group;
  }

  [[nodiscard]] static bool ranks_before(const Standing& a, HostIndex host_a, const Standing& b,
                                         HostIndex host_b) {
    if (a.tiers != b.tiers) return a.tiers > b.tiers;
    if (a.weight != b.weight) return a.weight > b.weight;
    return host_a < host_b;
  }

  /// The number of hosts that rank before one; counts no further than `enough`.
  [[nodiscard]] std::size_t count_before(const Standing& standing, HostIndex host,
                                         std::size_t enough) const {
    std::size_t count = 0;
    for (const std::uint32_t number : order_) {
      if (count >= enough || ranks_before_all_of(standing, number)) return count;
      if (!bounds_[number].is_walked) continue;
      count += asked(groups_[number]).count_before(standing, host, enough - count);
    }
    return count;
  }

  const T* weigher_;
  HostView view_;
  Request request_;
  std::uint64_t walk_ = 1;  // counts the requests
  std::vector<Group> groups_;
  std::vector<Bound> bounds_;            // of each group
  std::vector<std::uint32_t> group_of_;  // of each host
  bool counts_;  // hosts that need evictions may rank before some that need none
  std::span<const std::uint8_t> allowed_;
  std::vector<std::uint32_t> order_;  // of the groups: those that may have the best hosts first
  std::size_t opened_ = 0;            // so many of them know their next host
  Group* given_ = nullptr;            // whose head was handed out
};

}  // namespace cospot
