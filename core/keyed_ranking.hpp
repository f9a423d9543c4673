#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>

#include "core/host_buckets.hpp"
#include "core/host_ranking.hpp"
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
/// T::weigh_host; only the work differs.
template <class T, class Key>
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
        tiers_{HostBuckets<Key>(hosts.size(), total_.disk_gb > 0),
               HostBuckets<Key>(tier_ == Tier::kNone ? 0 : hosts.size(), total_.disk_gb > 0)} {
    for (HostIndex host = 0; host < hosts.size(); ++host) host_changed(host);
  }

  void host_changed(HostIndex host) override {
    const HostRow row = view_[host];
    const std::size_t tier = is_in_tier(tier_, row) ? 0 : 1;
    if (tier_ != Tier::kNone && tiers_[1 - tier].contains(host)) tiers_[1 - tier].remove(host);
    const ResourceVector beside_vms = row.free(Sees::kVms);
    tiers_[tier].put(host, {.key = to_key(weigher_->host_key(row)),
                            .beside_vms = beside_vms,
                            .beside_all = beside_vms - row.spot_used()});
  }

  void start(const Request& request) override {
    request_ = request;
    const KeyPreference preference = weigher_->preference(request, total_);
    target_ = to_key(preference.target);
    distinct_weights_ = preference.distinct_weights;
    query_.need = request.resources();
    query_.with_disk = request.disk_gb > 0;
    query_.low = to_key(preference.low);
    query_.high = to_key(preference.high);
    pass_ = 0;
    open_pass();
  }

  [[nodiscard]] HostIndex next() override {
    if (emitted_ != nullptr) advance(*emitted_);
    emitted_ = nullptr;
    while (below_.host == kNoHost && above_.host == kNoHost) {
      if (pass_ + 1 >= num_passes()) return kNoHost;
      ++pass_;
      open_pass();
    }
    emitted_ = better_side();
    return emitted_->host;
  }

  [[nodiscard]] bool sees_spots() const override {
    return feasible_ != Sees::kVms || prefers_spot_free_ || T::kSees != Sees::kVms;
  }

  [[nodiscard]] std::unique_ptr<HostRanking> clone(const HostTable& copy) const override {
    auto twin = std::make_unique<KeyedRanking>(*this);
    twin->view_ = copy.view();
    twin->emitted_ = nullptr;
    return twin;
  }

 private:
  static constexpr Key kLowest = std::numeric_limits<Key>::lowest();
  static constexpr Key kLargest = std::numeric_limits<Key>::max();

  /// The hosts on one side of the target, walked outward. The current group holds those with one
  /// weight: their clamped keys are [first, last].
  struct Side {
    bool is_below = false;
    Key first{};
    Key last{};
    HostIndex host = kNoHost;  ///< the next host of the walk; kNoHost: the side is finished
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

  [[nodiscard]] static Key just_above(Key key) {
    if (key == kLargest) return key;
    if constexpr (sizeof(Key) == sizeof(double)) {
      return std::nextafter(key, kLargest);
    } else {
      return key + 1;
    }
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
    return feasible_ == Sees::kVms ? Fit::kBesideVms : Fit::kBesideAll;
  }
  [[nodiscard]] const HostBuckets<Key>& hosts_of_pass() const {
    return tiers_[pass_ % tiers_in_use()];
  }

  void open_pass() {
    emitted_ = nullptr;
    below_ = {.is_below = true};
    above_ = {.is_below = false};
    if (hosts_of_pass().empty()) return;
    query_.fit = fit_of_pass();
    const NearestKeys<Key> nearest = hosts_of_pass().nearest(query_, just_above(target_), target_);
    if (nearest.below != kLowest) enter_group(below_, nearest.below);
    if (nearest.above != kLargest) enter_group(above_, nearest.above);
  }

  /// The nearest key on the same side beyond the current group, or a limit of Key.
  [[nodiscard]] Key next_key(const Side& side) const {
    return side.is_below ? hosts_of_pass().nearest(query_, side.first, kLargest).below
                         : hosts_of_pass().nearest(query_, kLowest, side.last).above;
  }

  void enter_group(Side& side, Key key) {
    side.first = key;
    side.last = key;
    side.host = hosts_of_pass().lowest(query_, key, key, 0);
    if (!distinct_weights_) widen_group(side);
  }

  /// Takes in the keys beyond whose weight is the same after rounding.
  void widen_group(Side& side) {
    for (;;) {
      const Key key = next_key(side);
      if (key == kLowest || key == kLargest) return;
      const HostIndex neighbour = hosts_of_pass().lowest(query_, key, key, 0);
      if (weight(neighbour) != weight(side.host)) return;
      (side.is_below ? side.first : side.last) = key;
      if (neighbour < side.host) side.host = neighbour;
    }
  }

  void advance(Side& side) {
    side.host = hosts_of_pass().lowest(query_, side.first, side.last, side.host + 1);
    if (side.host != kNoHost) return;
    const Key key = next_key(side);
    if (key != kLowest && key != kLargest) enter_group(side, key);
  }

  [[nodiscard]] Side* better_side() {
    if (above_.host == kNoHost) return &below_;
    if (below_.host == kNoHost) return &above_;
    const double below = weight(below_.host);
    const double above = weight(above_.host);
    if (below == above) return below_.host < above_.host ? &below_ : &above_;
    return below > above ? &below_ : &above_;
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
  std::array<HostBuckets<Key>, 2> tiers_;  // hosts in the weigher's tier, and the others

  // The walk.
  Request request_;
  RoomQuery<Key> query_;
  Key target_{};
  bool distinct_weights_ = true;
  std::size_t pass_ = 0;
  Side below_;
  Side above_;
  Side* emitted_ = nullptr;
};

}  // namespace cospot
