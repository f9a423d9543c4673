#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>

#include "core/host_ranking.hpp"
#include "core/room_kernels.hpp"
#include "core/weigher.hpp"

namespace cospot {

/// How a request's weight depends on a host's key: highest at `target`, never rising away from it.
/// Below `low` and above `high` the weight stays as it is there.
struct KeyPreference {
  double target = 0;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  /// Distinct (clamped) keys on one side of the target have distinct weights. When it is not known
  /// (the weight is rounded), the ranking checks the weights of neighbours.
  bool distinct_weights = true;
};

/// Ranks hosts by weigher `T` alone: those that need no eviction first if asked to, then the
/// weigher's tier, then its weight, then the lowest host index. The same order as a scan with
/// T::weigh_host; only the work differs. `Hosts` (FlatHosts or HostBuckets) holds them by key.
template <class T, class Key, template <class> class Hosts>
class KeyedRanking final : public HostRanking {
 public:
  /// `weigher` and `hosts` outlive the ranking. `feasible`: beside what a host must have room.
  KeyedRanking(const T& weigher, const HostTable& hosts, Sees feasible, bool prefer_spot_free,
               double key_factor)
      : weigher_(&weigher),
        view_(hosts.view()),
        tier_(weigher.tier()),
        feasible_(feasible),
        // Where spots count for feasibility, no feasible host needs an eviction.
        prefers_spot_free_(prefer_spot_free && feasible == Sees::kVms),
        key_factor_(key_factor),
        total_(hosts.largest_total()),
        tiers_{Hosts<Key>(hosts), Hosts<Key>(hosts)} {
    for (HostIndex host = 0; host < hosts.size(); ++host) host_changed(host);
  }

  void host_changed(HostIndex host) override {
    if (host != first_.host) first_.host = kNoHost;
    const HostRow row = view_[host];
    const std::size_t tier = is_in_tier(tier_, row) ? 0 : 1;
    if (tier_ != Tier::kNone && tiers_[1 - tier].contains(host)) tiers_[1 - tier].remove(host);
    tiers_[tier].put(host, to_key(weigher_->host_key(row)), row);
  }

  void start(const Request& request) override {
    request_ = request;
    // Requests of one size often come in a row.
    const bool is_same = has_preference_ && request.resources() == query_.need;
    if (!is_same) take_preference(request);
    if (!is_same || first_.host == kNoHost) {
      walk_ = Walk::kUnopened;
    } else if (is_still_first()) {
      walk_ = Walk::kRepeated;
    } else {
      walk_ = walk_ == Walk::kAtFirst && search_side_again() ? Walk::kSearched : Walk::kUnopened;
    }
  }

  [[nodiscard]] HostIndex next() override {
    switch (walk_) {
      case Walk::kRepeated:
        walk_ = Walk::kBehindRepeated;
        return first_.host;
      case Walk::kUnopened:
        open_walk();
        break;
      case Walk::kSearched:
        break;
      case Walk::kBehindRepeated:
        open_walk();
        if (next_of_walk() == kNoHost) return kNoHost;
        [[fallthrough]];
      case Walk::kAtFirst:
      case Walk::kBehindFirst:
        walk_ = Walk::kBehindFirst;
        return next_of_walk();
    }
    walk_ = Walk::kAtFirst;
    take_first();
    return first_.host;
  }

  [[nodiscard]] HostIndex first_without_eviction(std::size_t within) const override {
    std::size_t before = 0;
    for (std::size_t tier = 0; tier < tiers_in_use() && before < within; ++tier) {
      Search search;
      search.hosts = &tiers_[tier];
      search.query = query_;
      search.query.fit = Fit::kBesideAll;
      open(search);
      if (search.is_finished()) {
        search.query.fit = fit_of(feasible_);
        before += search.hosts->count(
            search.query, {.first = kLowest, .last = kLargest, .enough = within - before});
        continue;
      }
      const Side& best = better_side(search);
      // With SAF, or where spots count for feasibility, such hosts rank before all others.
      if (prefers_spot_free_ || feasible_ == Sees::kVmsAndSpots) return best.host;
      before += count_before(search, best, within - before);
      return before < within ? best.host : kNoHost;
    }
    return kNoHost;
  }

  [[nodiscard]] bool sees_spots() const override {
    return feasible_ != Sees::kVms || prefers_spot_free_ || T::kSees != Sees::kVms;
  }

  [[nodiscard]] std::unique_ptr<HostRanking> clone(const HostTable& copy) const override {
    auto twin = std::make_unique<KeyedRanking>(*this);
    twin->view_ = copy.view();
    twin->tiers_[0].rebind(copy);
    twin->tiers_[1].rebind(copy);
    twin->search_.hosts = nullptr;  // the walk stays with the original
    twin->walk_ = Walk::kUnopened;
    twin->emitted_ = nullptr;
    return twin;
  }

 private:
  static constexpr Key kLowest = std::numeric_limits<Key>::lowest();
  static constexpr Key kLargest = std::numeric_limits<Key>::max();

  /// The hosts on one side of the target, walked outward in groups with one weight each.
  struct Side {
    bool is_below = false;
    Key first{};  ///< the group's keys are [first, last]
    Key last{};
    HostIndex host = kNoHost;  ///< the next host of the walk; kNoHost: the side is finished
  };

  /// Where and how a walk searches: it can be done again, elsewhere, without losing the walk.
  struct Search {
    const Hosts<Key>* hosts = nullptr;
    RoomQuery query;
    Side below{.is_below = true};
    Side above{.is_below = false};

    [[nodiscard]] bool is_finished() const {
      return below.host == kNoHost && above.host == kNoHost;
    }
  };

  [[nodiscard]] Key to_key(double key) const {
    if constexpr (sizeof(Key) == sizeof(double)) {
      return std::fmin(std::fmax(key, kLowest), kLargest);
    } else {
      const double scaled = key * key_factor_;
      if (scaled <= static_cast<double>(kLowest)) return kLowest;
      if (scaled >= static_cast<double>(kLargest)) return kLargest;
      return static_cast<Key>(scaled);
    }
  }

  [[nodiscard]] static Key just_above(Key key) { return key == kLargest ? key : next_key_up(key); }

  [[nodiscard]] static Key just_below(Key key) {
    if (key == kLowest) return key;
    if constexpr (sizeof(Key) == sizeof(double)) {
      return std::nextafter(key, kLowest);
    } else {
      return key - 1;
    }
  }

  void take_preference(const Request& request) {
    const KeyPreference preference = weigher_->preference(request, total_);
    target_ = to_key(preference.target);
    low_ = to_key(preference.low);
    high_ = to_key(preference.high);
    distinct_weights_ = preference.distinct_weights;
    query_.need = request.resources();
    query_.with_disk = request.disk_gb > 0;
    has_preference_ = true;
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

  /// The host that ranked first for the last request is first again for one that asks for the
  /// same, when it alone has changed and has not become worse: it was better than all others.
  [[nodiscard]] bool is_still_first() const {
    if (first_.host == kNoHost) return false;
    const std::size_t pass = pass_of(view_[first_.host]);
    return pass < first_.pass || (pass == first_.pass && weight(first_.host) >= first_.weight);
  }

  /// The pass in which a host is found; num_passes() for a host that does not fit.
  [[nodiscard]] std::size_t pass_of(HostRow row) const {
    const std::size_t tier = is_in_tier(tier_, row) ? 0 : 1;
    if (has_room(row.free(prefers_spot_free_ ? Sees::kVmsAndSpots : feasible_))) return tier;
    if (prefers_spot_free_ && has_room(row.free(Sees::kVms))) return tiers_in_use() + tier;
    return num_passes();
  }
  [[nodiscard]] bool has_room(const ResourceVector& free) const {
    return free.vcpus >= query_.need.vcpus && free.memory_mb >= query_.need.memory_mb &&
           (!query_.with_disk || free.disk_gb >= query_.need.disk_gb);
  }

  void open_walk() {
    pass_ = 0;
    open_pass();
  }

  /// When nothing but the first host has changed, on its side of the target, the host that was
  /// nearest on the other side still is. Returns false when that is not so.
  bool search_side_again() {
    if (low_ != kLowest || high_ != kLargest) return false;
    const Key key = to_key(weigher_->host_key(view_[first_.host]));
    Side& side = *emitted_;
    if (side.is_below != (key <= target_)) return false;
    emitted_ = nullptr;
    const NearestHosts<Key> nearest =
        search_.hosts->nearest(search_.query, side.is_below ? just_above(target_) : kLowest,
                               side.is_below ? kLargest : target_);
    enter_group(search_, side, side.is_below ? nearest.below : nearest.above);
    return true;
  }

  void take_first() {
    first_ = {.host = next_of_walk(), .pass = pass_, .weight = 0};
    if (first_.host != kNoHost) first_.weight = weight(first_.host);
  }

  [[nodiscard]] HostIndex next_of_walk() {
    if (emitted_ != nullptr) advance(search_, *emitted_);
    emitted_ = nullptr;
    while (search_.is_finished()) {
      if (pass_ + 1 >= num_passes()) return kNoHost;
      ++pass_;
      open_pass();
    }
    emitted_ = &better_side(search_);
    return emitted_->host;
  }

  void open_pass() {
    emitted_ = nullptr;
    search_.hosts = &tiers_[pass_ % tiers_in_use()];
    query_.fit = fit_of_pass();
    search_.query = query_;
    open(search_);
  }

  /// Finds the first group on either side of the target.
  void open(Search& search) const {
    search.below.host = kNoHost;
    search.above.host = kNoHost;
    if (search.hosts->empty()) return;
    if (target_ >= high_ && high_ != kLargest) {
      enter_plateau(search, search.below, kLargest);
    } else if (target_ <= low_ && low_ != kLowest) {
      enter_plateau(search, search.above, kLowest);
    } else {
      const NearestHosts<Key> nearest =
          search.hosts->nearest(search.query, just_above(target_), target_);
      enter_group(search, search.below, nearest.below);
      enter_group(search, search.above, nearest.above);
    }
  }

  /// Makes the plateau at the end `key` the side's group, or the next group when no host on it
  /// fits.
  void enter_plateau(const Search& search, Side& side, Key key) const {
    set_range(side, key);
    side.host = search.hosts->lowest(search.query, side.first, side.last, 0);
    if (side.host == kNoHost) enter_group(search, side, next_host(search, side));
  }

  /// Makes the group of a host the side's group; `found` has the lowest index among equal keys.
  void enter_group(const Search& search, Side& side, const KeyedHost<Key>& found) const {
    side.host = found.host;
    if (found.host == kNoHost) return;
    set_range(side, found.key);
    if (side.first != side.last) {
      side.host = search.hosts->lowest(search.query, side.first, side.last, 0);
    } else if (!distinct_weights_) {
      widen_group(search, side);
    }
  }

  /// The keys with the weight of `key`: a plateau, or the key alone.
  void set_range(Side& side, Key key) const {
    // Where the plateaus meet, all hosts are one group.
    const bool on_low = key <= low_ || (key >= high_ && low_ == high_);
    const bool on_high = key >= high_ || (key <= low_ && low_ == high_);
    side.first = on_low ? kLowest : std::min(key, high_);
    side.last = on_high ? kLargest : std::max(key, low_);
  }

  /// The nearest host on the same side beyond the current group.
  [[nodiscard]] KeyedHost<Key> next_host(const Search& search, const Side& side) const {
    return side.is_below ? search.hosts->nearest(search.query, side.first, kLargest).below
                         : search.hosts->nearest(search.query, kLowest, side.last).above;
  }

  /// Takes in the keys beyond whose weight is the same after rounding.
  void widen_group(const Search& search, Side& side) const {
    for (;;) {
      const KeyedHost<Key> neighbour = next_host(search, side);
      if (neighbour.host == kNoHost || weight(neighbour.host) != weight(side.host)) return;
      (side.is_below ? side.first : side.last) = neighbour.key;
      side.host = std::min(side.host, neighbour.host);
    }
  }

  void advance(const Search& search, Side& side) const {
    side.host = search.hosts->lowest(search.query, side.first, side.last, side.host + 1);
    if (side.host == kNoHost) enter_group(search, side, next_host(search, side));
  }

  [[nodiscard]] Side& better_side(Search& search) const {
    if (search.above.host == kNoHost) return search.below;
    if (search.below.host == kNoHost) return search.above;
    const double below = weight(search.below.host);
    const double above = weight(search.above.host);
    if (below == above) {
      return search.below.host < search.above.host ? search.below : search.above;
    }
    return below > above ? search.below : search.above;
  }

  /// How many hosts of a tier that fit beside the VMs rank before `best`, the better side of a
  /// search in that tier; counts no further than `enough`.
  [[nodiscard]] std::size_t count_before(const Search& search, const Side& best,
                                         std::size_t enough) const {
    RoomQuery query = search.query;
    query.fit = Fit::kBesideVms;
    const std::size_t count =
        search.hosts->count(query, {.first = best.is_below ? best.first : just_above(target_),
                                    .last = best.is_below ? target_ : best.last,
                                    .group_first = best.first,
                                    .group_last = best.last,
                                    .before = best.host,
                                    .enough = enough});
    if (count >= enough) return count;
    return count + count_better_on_other_side(search, best, enough - count);
  }

  /// The weights on the other side are not known from the keys, so these hosts are walked.
  [[nodiscard]] std::size_t count_better_on_other_side(const Search& search, const Side& best,
                                                       std::size_t enough) const {
    if (target_ >= high_ || target_ <= low_) return 0;  // all hosts are on one side
    Search other = search;
    other.query.fit = Fit::kBesideVms;
    Side& side = best.is_below ? other.above : other.below;
    const NearestHosts<Key> nearest =
        search.hosts->nearest(other.query, best.is_below ? kLowest : just_above(target_),
                              best.is_below ? target_ : kLargest);
    enter_group(other, side, best.is_below ? nearest.above : nearest.below);
    const double best_weight = weight(best.host);
    std::size_t count = 0;
    while (count < enough && side.host != kNoHost) {
      const double side_weight = weight(side.host);
      if (side_weight < best_weight || (side_weight == best_weight && side.host > best.host)) break;
      ++count;
      advance(other, side);
    }
    return count;
  }

  [[nodiscard]] double weight(HostIndex host) const {
    return weigher_->weigh_host(view_[host], request_);
  }

  const T* weigher_;
  HostView view_;
  Tier tier_;
  Sees feasible_;
  bool prefers_spot_free_;
  double key_factor_;
  ResourceVector total_;
  std::array<Hosts<Key>, 2> tiers_;  // hosts in the weigher's tier, and the others

  /// Where the walk stands.
  enum class Walk : std::uint8_t {
    kUnopened,        ///< nothing was searched yet
    kSearched,        ///< search_ knows the first host
    kAtFirst,         ///< it was handed out
    kBehindFirst,     ///< others were, too
    kRepeated,        ///< the first host is known without a search
    kBehindRepeated,  ///< it was handed out
  };

  /// The first host for the last request, as it was then; kNoHost when others have changed since.
  struct First {
    HostIndex host = kNoHost;
    std::size_t pass = 0;
    double weight = 0;
  };

  Request request_;
  RoomQuery query_;
  Key target_{};
  Key low_{};
  Key high_{};
  bool distinct_weights_ = true;
  bool has_preference_ = false;  // of requests that need query_.need
  Walk walk_ = Walk::kUnopened;
  First first_;
  std::size_t pass_ = 0;
  Search search_;
  Side* emitted_ = nullptr;
};

}  // namespace cospot
