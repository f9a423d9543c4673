#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>

#include "core/policy/host_ranking.hpp"
#include "core/policy/weigher.hpp"
#include "core/ranking/host_groups.hpp"
#include "core/ranking/key_walk.hpp"
#include "core/ranking/room_kernels.hpp"

namespace cospot {

/// A request's weight as a function of a host's key: highest at `target`, never rising away from
/// it. Below `low` and above `high` the weight stays as it is there.
struct KeyPreference {
  double target = 0;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  /// Distinct (clamped) keys on one side of the target have distinct weights. When it is not known
  /// (the weight is rounded), the ranking checks the weights of neighbours.
  bool distinct_weights = true;
};

/// Between which keys some hosts are.
struct KeyRange {
  double lowest = std::numeric_limits<double>::infinity();
  double highest = -std::numeric_limits<double>::infinity();

  void include(double key) {
    lowest = std::min(lowest, key);
    highest = std::max(highest, key);
  }
};

/// The least and the greatest weight of some hosts; of none, the least is above the greatest.
struct WeightRange {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();

  void include(const WeightRange& other) {
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
  }
};

/// Ranks hosts by weigher `T` alone: those that need no eviction first if asked to, then the
/// weigher's tier, then its weight, then the lowest host index. The same order as a scan with
/// T::weigh_host; only the work differs.
template <class T, class Key>
class KeyedRanking final : public HostRanking {
 public:
  /// `weigher` and `hosts` outlive the ranking. `feasible`: beside what a host must have room.
  KeyedRanking(const T& weigher, const HostTable& hosts, Sees feasible, bool prefer_spot_free,
               double key_factor)
      : KeyedRanking(weigher, hosts, KeyedHosts<Key>(hosts, T::kFewHosts), hosts.largest_total(),
                     feasible, prefer_spot_free, key_factor) {
    for (HostIndex host = 0; host < hosts.size(); ++host) host_changed(host);
  }

  /// Ranks the hosts of a group only; no other may be reported.
  KeyedRanking(const T& weigher, const HostTable& hosts, const HostGroup& group, Sees feasible,
               bool prefer_spot_free, double key_factor)
      : KeyedRanking(weigher, hosts, KeyedHosts<Key>(hosts, T::kFewHosts, group.hosts), group.total,
                     feasible, prefer_spot_free, key_factor) {
    for (const HostIndex host : group.hosts) host_changed(host);
  }

  void host_changed(HostIndex host) override { (void)take_change(host); }

  /// As host_changed(); returns the host's key.
  double take_change(HostIndex host) {
    if (host != first_.host) first_.host = kNoHost;
    const HostRow row = view_[host];
    const std::size_t tier = is_in_tier(tier_, row) ? 0 : 1;
    if (tier_ != Tier::kNone && tiers_[1 - tier].contains(host)) tiers_[1 - tier].remove(host);
    const double key = weigher_->host_key(row);
    tiers_[tier].put(host, to_key(key), row);
    return key;
  }

  void start(const Request& request) override {
    request_ = request;
    // Requests of one size often come in a row.
    const bool is_same = has_preference_ && request.resources() == query_.need;
    if (!is_same) take_preference(request);
    if (!is_same || first_.host == kNoHost) {
      stage_ = Stage::kUnopened;
    } else if (is_still_first()) {
      stage_ = Stage::kRepeated;
    } else {
      stage_ = stage_ == Stage::kAtFirst && open_side_again() ? Stage::kOpened : Stage::kUnopened;
    }
  }

  [[nodiscard]] HostIndex next() override {
    switch (stage_) {
      case Stage::kRepeated:
        stage_ = Stage::kBehindRepeated;
        return first_.host;
      case Stage::kBehindRepeated:
        open_walk();
        if (next_of_walk() == kNoHost) return kNoHost;
        [[fallthrough]];
      case Stage::kAtFirst:
      case Stage::kBehindFirst:
        stage_ = Stage::kBehindFirst;
        return next_of_walk();
      case Stage::kUnopened:
        open_walk();
        break;
      case Stage::kOpened:
        break;
    }
    stage_ = Stage::kAtFirst;
    take_first();
    return first_.host;
  }

  [[nodiscard]] HostIndex first_without_eviction(std::size_t within) const override {
    const auto weight = weight_of_host();
    // With SAF, or where spots count for feasibility, hosts without evictions rank before all
    // others.
    const bool none_before = prefers_spot_free_ || feasible_ == Sees::kVmsAndSpots;
    std::size_t before = 0;
    for (std::size_t tier = 0; tier < tiers_in_use() && before < within; ++tier) {
      RoomQuery query = query_;
      query.fit = Fit::kBesideAll;
      KeyWalk<Key> walk;
      walk.open(tiers_[tier], query, target_, weight);
      if (walk.is_finished()) {
        if (none_before || within == SIZE_MAX) continue;
        query.fit = fit_of(feasible_);
        before += tiers_[tier].count(query, {.first = KeyTarget<Key>::kLowest,
                                             .last = KeyTarget<Key>::kLargest,
                                             .enough = within - before});
        continue;
      }
      const HostIndex host = walk.find_next(weight);
      if (none_before || within == SIZE_MAX) return host;
      before += walk.count_before_first(target_, weight, within - before);
      return before < within ? host : kNoHost;
    }
    return kNoHost;
  }

  [[nodiscard]] Standing standing_of(HostIndex host) const override {
    return {.tiers = static_cast<std::uint32_t>(num_passes() - pass_of(view_[host])),
            .weight = weight(host)};
  }

  /// The position of the host that next() returned last.
  [[nodiscard]] Standing standing_of_last(HostIndex host) const {
    // A repeated first host is known by its position before it changed.
    if (stage_ != Stage::kAtFirst) return standing_of(host);
    return {.tiers = static_cast<std::uint32_t>(num_passes() - first_.pass),
            .weight = first_.weight};
  }

  /// The tiers of hosts that rank before all of any lower Standing::tiers.
  [[nodiscard]] std::uint32_t highest_tiers() const {
    return static_cast<std::uint32_t>(num_passes());
  }

  [[nodiscard]] double weight_spread() const override {
    const WeightRange range = weight_range();
    return range.greatest - range.least;
  }

  /// Over all feasible hosts, whatever their tiers.
  [[nodiscard]] WeightRange weight_range() const {
    RoomQuery query = query_;
    query.fit = fit_of(feasible_);
    WeightRange range;
    for (std::size_t tier = 0; tier < tiers_in_use(); ++tier) {
      const auto weight = weight_of_host();
      KeyWalk<Key> best;
      best.open(tiers_[tier], query, target_, weight);
      if (best.is_finished()) continue;
      range.greatest = std::max(range.greatest, weight(best.find_next(weight)));
      // No weight rises away from the target, so the least one is at an end.
      const NearestHosts<Key> ends =
          tiers_[tier].nearest(query, KeyTarget<Key>::kLargest, KeyTarget<Key>::kLowest);
      range.least = std::min({range.least, weight(ends.below.host), weight(ends.above.host)});
    }
    return range;
  }

  /// The number of feasible hosts that rank before a host in this position, which need not be
  /// ranked here; counts no further than `enough`. Not for a ranking that prefers hosts without
  /// evictions.
  [[nodiscard]] std::size_t count_before(const Standing& standing, HostIndex host,
                                         std::size_t enough) const {
    RoomQuery query = query_;
    query.fit = fit_of(feasible_);
    const auto weight = weight_of_host();
    std::size_t count = 0;
    for (std::size_t tier = 0; tier < tiers_in_use() && count < enough; ++tier) {
      const auto tiers = static_cast<std::uint32_t>(num_passes() - tier);
      if (tiers < standing.tiers) break;
      if (tiers > standing.tiers) {
        count += tiers_[tier].count(query, {.first = KeyTarget<Key>::kLowest,
                                            .last = KeyTarget<Key>::kLargest,
                                            .enough = enough - count});
        continue;
      }
      KeyWalk<Key> walk;
      walk.open(tiers_[tier], query, target_, weight);
      for (; count < enough && !walk.is_finished(); ++count, walk.advance(target_, weight)) {
        const HostIndex other = walk.find_next(weight);
        const double other_weight = weight(other);
        if (other_weight < standing.weight) break;
        if (other_weight == standing.weight && other >= host) break;
      }
    }
    return count;
  }

  [[nodiscard]] bool sees_spots() const override {
    return feasible_ != Sees::kVms || prefers_spot_free_ || T::kSees != Sees::kVms;
  }

  [[nodiscard]] std::unique_ptr<HostRanking> clone(const HostTable& copy) const override {
    auto twin = std::make_unique<KeyedRanking>(*this);
    twin->rebind(copy);
    return twin;
  }

  /// Ranks the hosts of `copy` from now on, a copy of the table it was made for.
  void rebind(const HostTable& copy) {
    view_ = copy.view();
    tiers_[0].rebind(copy);
    tiers_[1].rebind(copy);
    stage_ = Stage::kUnopened;  // the walk stays with the original
  }

 private:
  /// Ranks the hosts that are still to be reported; `none` holds none of them.
  KeyedRanking(const T& weigher, const HostTable& hosts, const KeyedHosts<Key>& none,
               const ResourceVector& total, Sees feasible, bool prefer_spot_free, double key_factor)
      : weigher_(&weigher),
        view_(hosts.view()),
        tier_(weigher.tier()),
        feasible_(feasible),
        // If spots count for feasibility, no feasible host needs an eviction.
        prefers_spot_free_(prefer_spot_free && feasible == Sees::kVms),
        key_factor_(key_factor),
        total_(total),
        tiers_{none, none} {}

  /// The progress of a walk.
  enum class Stage : std::uint8_t {
    kUnopened,        ///< nothing was searched yet
    kOpened,          ///< the walk knows the first host
    kAtFirst,         ///< it was handed out
    kBehindFirst,     ///< others were, too
    kRepeated,        ///< the first host is known without a search
    kBehindRepeated,  ///< it was handed out
  };

  /// The first host of the last request as it was then; kNoHost when others have changed since.
  struct First {
    HostIndex host = kNoHost;
    std::size_t pass = 0;
    double weight = 0;
  };

  [[nodiscard]] Key to_key(double key) const {
    constexpr Key kLowest = KeyTarget<Key>::kLowest;
    constexpr Key kLargest = KeyTarget<Key>::kLargest;
    if constexpr (sizeof(Key) == sizeof(double)) {
      return std::fmin(std::fmax(key, kLowest), kLargest);
    } else {
      const double scaled = key * key_factor_;
      if (scaled <= static_cast<double>(kLowest)) return kLowest;
      if (scaled >= static_cast<double>(kLargest)) return kLargest;
      return static_cast<Key>(scaled);
    }
  }

  void take_preference(const Request& request) {
    const KeyPreference preference = weigher_->preference(request, total_);
    target_ = {.target = to_key(preference.target),
               .low = to_key(preference.low),
               .high = to_key(preference.high),
               .distinct_weights = preference.distinct_weights};
    query_.need = request.resources();
    query_.with_disk = request.disk_gb > 0;
    has_preference_ = true;
    first_.host = kNoHost;  // it was the first for another size
  }

  // Passes: (needs no eviction, in the tier), (no eviction, not in the tier), then, for a chain
  // that prefers hosts without evictions, both again for the hosts that need some.
  [[nodiscard]] std::size_t tiers_in_use() const { return tier_ == Tier::kNone ? 1 : 2; }
  [[nodiscard]] std::size_t num_passes() const {
    return tiers_in_use() * (prefers_spot_free_ ? 2 : 1);
  }
  [[nodiscard]] Fit fit_of_pass() const {
    if (prefers_spot_free_) {
      return pass_ < tiers_in_use() ? Fit::kBesideAll : Fit::kOnlyWithEvictions;
    }
    return fit_of(feasible_);
  }
  [[nodiscard]] static Fit fit_of(Sees feasible) {
    return feasible == Sees::kVms ? Fit::kBesideVms : Fit::kBesideAll;
  }

  /// The pass in which a host is found; num_passes() for a host that does not fit.
  [[nodiscard, gnu::always_inline]] std::size_t pass_of(HostRow row) const {
    const std::size_t tier = is_in_tier(tier_, row) ? 0 : 1;
    if (has_room(row.free(prefers_spot_free_ ? Sees::kVmsAndSpots : feasible_))) return tier;
    if (prefers_spot_free_ && has_room(row.free(Sees::kVms))) return tiers_in_use() + tier;
    return num_passes();
  }
  [[nodiscard]] bool has_room(const ResourceVector& free) const {
    return free.vcpus >= query_.need.vcpus && free.memory_mb >= query_.need.memory_mb &&
           (!query_.with_disk || free.disk_gb >= query_.need.disk_gb);
  }

  /// The host that ranked first for the last request is first again for one that asks for the
  /// same, when it alone has changed and has not become worse: it was better than all others.
  [[nodiscard]] bool is_still_first() const {
    const std::size_t pass = pass_of(view_[first_.host]);
    return pass < first_.pass || (pass == first_.pass && weight(first_.host) >= first_.weight);
  }

  /// Searches no more than the first host's side of the target, when that is enough.
  bool open_side_again() {
    const Key key = to_key(weigher_->host_key(view_[first_.host]));
    return walk_.open_side_again(key, target_, weight_of_host());
  }

  void open_walk() {
    pass_ = 0;
    open_pass();
  }

  void open_pass() {
    query_.fit = fit_of_pass();
    walk_.open(tiers_[pass_ % tiers_in_use()], query_, target_, weight_of_host());
  }

  [[nodiscard]] HostIndex next_of_walk() {
    const auto weight = weight_of_host();
    walk_.advance(target_, weight);
    while (walk_.is_finished()) {
      if (pass_ + 1 >= num_passes()) return kNoHost;
      ++pass_;
      open_pass();
    }
    return walk_.find_next(weight);
  }

  void take_first() {
    first_ = {.host = next_of_walk(), .pass = pass_, .weight = 0};
    if (first_.host != kNoHost) first_.weight = weight(first_.host);
  }

  [[nodiscard]] double weight(HostIndex host) const {
    return weigher_->weigh_host(view_[host], request_);
  }
  [[nodiscard]] auto weight_of_host() const {
    return [this](HostIndex host) { return weight(host); };
  }

  const T* weigher_;
  HostView view_;
  Tier tier_;
  Sees feasible_;
  bool prefers_spot_free_;
  double key_factor_;
  ResourceVector total_;
  std::array<KeyedHosts<Key>, 2> tiers_;  // hosts in the weigher's tier, and the others

  Request request_;
  RoomQuery query_;
  KeyTarget<Key> target_;
  bool has_preference_ = false;  // of requests that need query_.need
  Stage stage_ = Stage::kUnopened;
  First first_;
  std::size_t pass_ = 0;
  KeyWalk<Key> walk_;
};

}  // namespace cospot
