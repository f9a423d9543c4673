#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/model/host_table.hpp"
#include "core/ranking/keyed_hosts.hpp"
#include "core/ranking/room_kernels.hpp"

namespace cospot {

/// The weight of a request as a function of a host's key: highest at `target`, never rising away
/// from it; as it is at `low` for all keys up to it, and at `high` for all keys from it on.
template <class Key>
struct KeyTarget {
  static constexpr Key kLowest = std::numeric_limits<Key>::lowest();
  static constexpr Key kLargest = std::numeric_limits<Key>::max();

  Key target{};
  Key low = kLowest;
  Key high = kLargest;
  /// Distinct keys on one side have distinct weights (one plateau counts as one key). If not, a
  /// group of equal weights is found by comparing the weights of neighbours.
  bool distinct_weights = true;

  [[nodiscard]] bool has_plateau() const { return low != kLowest || high != kLargest; }
  [[nodiscard]] bool is_on_high_plateau() const { return target >= high && high != kLargest; }
  [[nodiscard]] bool is_on_low_plateau() const { return target <= low && low != kLowest; }
  /// All hosts lie on one side of the target.
  [[nodiscard]] bool has_one_side() const { return target >= high || target <= low; }
  [[nodiscard]] bool is_below(Key key) const { return key <= target; }
  [[nodiscard]] Key just_above() const { return target == kLargest ? target : next_key_up(target); }
  /// The border of the sides: on a plateau that contains the target, one side has all hosts.
  [[nodiscard]] Key last_below() const { return target >= high ? kLargest : target; }
  [[nodiscard]] Key first_above() const { return target <= low ? kLowest : just_above(); }
};

/// Walks hosts that fit a request from the target outward, on both sides, in the order of their
/// weights; ties go to the lowest host index. `Weight` maps a host index to its weight. A plain
/// value: a copy walks on by itself.
template <class Key>
class KeyWalk {
 public:
  /// Starts with `hosts`, which outlive the walk.
  template <class Weight>
  void open(const KeyedHosts<Key>& hosts, const RoomQuery& query, const KeyTarget<Key>& to,
            const Weight& weight) {
    hosts_ = &hosts;
    query_ = query;
    below_.host = kNoHost;
    above_.host = kNoHost;
    at_ = At::kNowhere;
    if (hosts.empty()) return;
    if (to.is_on_high_plateau()) {
      enter_plateau(below_, kLargest, to, weight);
    } else if (to.is_on_low_plateau()) {
      enter_plateau(above_, kLowest, to, weight);
    } else {
      const NearestHosts<Key> nearest = hosts.nearest(query_, to.just_above(), to.target);
      enter_group(below_, nearest.below, to, weight);
      enter_group(above_, nearest.above, to, weight);
    }
  }

  [[nodiscard]] bool is_finished() const {
    return below_.host == kNoHost && above_.host == kNoHost;
  }

  /// The next host of a walk that is not finished; it stays the next until advance().
  template <class Weight>
  HostIndex find_next(const Weight& weight) {
    const Side& side = better_side(weight);
    at_ = side.is_below ? At::kBelow : At::kAbove;
    return side.host;
  }

  template <class Weight>
  void advance(const KeyTarget<Key>& to, const Weight& weight) {
    if (at_ != At::kNowhere) advance_side(side_at(), to, weight);
    at_ = At::kNowhere;
  }

  /// For a walk at its first host, after that host alone has changed, to `key`: searches its side
  /// anew, because the host nearest on the other side still is. Returns false, with nothing done,
  /// when that cannot be.
  template <class Weight>
  bool open_side_again(Key key, const KeyTarget<Key>& to, const Weight& weight) {
    if (to.has_plateau() || at_ == At::kNowhere) return false;
    Side& side = side_at();
    if (side.is_below != to.is_below(key)) return false;
    at_ = At::kNowhere;
    const NearestHosts<Key> nearest = hosts_->nearest(
        query_, side.is_below ? to.just_above() : kLowest, side.is_below ? kLargest : to.target);
    enter_group(side, side.is_below ? nearest.below : nearest.above, to, weight);
    return true;
  }

  /// The number of hosts with capacity besides the VMs that rank before the first host of this
  /// walk, whatever this walk asks of a host; counts no further than `enough`.
  template <class Weight>
  [[nodiscard]] std::size_t count_before_first(const KeyTarget<Key>& to, const Weight& weight,
                                               std::size_t enough) const {
    const Side& best = better_side(weight);
    Side group = best;
    // This walk's group spans the hosts that it asks for; others with that weight may lie outside.
    if (!to.distinct_weights) widen_beside_vms(group, to, weight);
    RoomQuery query = query_;
    query.fit = Fit::kBesideVms;
    const std::size_t count =
        hosts_->count(query, {.first = best.is_below ? group.first : to.first_above(),
                              .last = best.is_below ? to.last_below() : group.last,
                              .group_first = group.first,
                              .group_last = group.last,
                              .before = best.host,
                              .enough = enough});
    if (count >= enough) return count;
    return count + count_better_on_other_side(best, to, weight, enough - count);
  }

 private:
  static constexpr Key kLowest = KeyTarget<Key>::kLowest;
  static constexpr Key kLargest = KeyTarget<Key>::kLargest;

  /// The hosts on one side of the target, in groups with one weight each.
  struct Side {
    bool is_below = false;
    Key first{};  ///< the group's keys are [first, last]
    Key last{};
    HostIndex host = kNoHost;  ///< the next host of the walk; kNoHost: the side is finished
  };

  /// The side of the host that find_next() returned.
  enum class At : std::uint8_t { kNowhere, kBelow, kAbove };

  [[nodiscard]] Side& side_at() { return at_ == At::kBelow ? below_ : above_; }

  /// Makes the plateau at the end `key` the side's group, or the next group when no host on it
  /// fits.
  template <class Weight>
  void enter_plateau(Side& side, Key key, const KeyTarget<Key>& to, const Weight& weight) const {
    if (hosts_->takes_one_pass()) {
      const KeyedHost<Key> found =
          hosts_->first_from_end(query_, {to.low, to.high, /*from_highest=*/key == kLargest});
      side.host = found.host;
      if (found.host == kNoHost) return;
      set_range(side, found.key, to);
      if (!to.distinct_weights) widen_group(side, to, weight);
    } else {
      set_range(side, key, to);
      side.host = hosts_->first_on_plateau(query_, side.first, side.last);
      if (side.host == kNoHost) {
        enter_group(side, next_host(side), to, weight);
      } else if (!to.distinct_weights) {
        widen_group(side, to, weight);
      }
    }
  }

  /// Makes the group of a host the side's group; `found` has the lowest index among equal keys.
  template <class Weight>
  void enter_group(Side& side, const KeyedHost<Key>& found, const KeyTarget<Key>& to,
                   const Weight& weight) const {
    take_range(side, found, to);
    if (found.host != kNoHost && !to.distinct_weights) widen_group(side, to, weight);
  }

  /// Makes the hosts with the key of a host, or on its plateau, the side's group.
  void take_range(Side& side, const KeyedHost<Key>& found, const KeyTarget<Key>& to) const {
    side.host = found.host;
    if (found.host == kNoHost) return;
    set_range(side, found.key, to);
    if (side.first != side.last) {
      side.host = hosts_->first_on_plateau(query_, side.first, side.last);
    }
  }

  /// The keys with the weight of `key`: a plateau, or the key alone.
  static void set_range(Side& side, Key key, const KeyTarget<Key>& to) {
    // If the plateaus meet, all hosts are one group.
    const bool on_low = key <= to.low || (key >= to.high && to.low == to.high);
    const bool on_high = key >= to.high || (key <= to.low && to.low == to.high);
    side.first = on_low ? kLowest : std::min(key, to.high);
    side.last = on_high ? kLargest : std::max(key, to.low);
  }

  /// The nearest host on the same side beyond the current group.
  [[nodiscard]] KeyedHost<Key> next_host(const Side& side) const {
    return side.is_below ? hosts_->nearest(query_, side.first, kLargest).below
                         : hosts_->nearest(query_, kLowest, side.last).above;
  }

  /// The nearest host on the same side between the target and the current group.
  [[nodiscard]] KeyedHost<Key> host_before(const Side& side, const KeyTarget<Key>& to) const {
    KeyedHost<Key> found = side.is_below ? hosts_->nearest(query_, kLowest, side.last).above
                                         : hosts_->nearest(query_, side.first, kLargest).below;
    if (side.is_below ? found.key > to.last_below() : found.key < to.first_above()) {
      found.host = kNoHost;
    }
    return found;
  }

  /// Takes in the keys beyond whose weight is the same.
  template <class Weight>
  void widen_group(Side& side, const KeyTarget<Key>& to, const Weight& weight) const {
    while (take_in(side, next_host(side), to, weight)) continue;
  }

  /// Takes in all keys of that weight, on both ends, that a host has which fits beside the VMs.
  template <class Weight>
  void widen_beside_vms(Side& side, const KeyTarget<Key>& to, const Weight& weight) const {
    KeyWalk all = *this;
    all.query_.fit = Fit::kBesideVms;
    while (all.take_in(side, all.host_before(side, to), to, weight)) continue;
    all.widen_group(side, to, weight);
  }

  /// Adds a neighbour of the side's group to it, if it weighs the same.
  template <class Weight>
  bool take_in(Side& side, const KeyedHost<Key>& neighbour, const KeyTarget<Key>& to,
               const Weight& weight) const {
    if (neighbour.host == kNoHost || weight(neighbour.host) != weight(side.host)) return false;
    Side more;
    take_range(more, neighbour, to);
    side.first = std::min(side.first, more.first);
    side.last = std::max(side.last, more.last);
    side.host = std::min(side.host, more.host);
    return true;
  }

  template <class Weight>
  void advance_side(Side& side, const KeyTarget<Key>& to, const Weight& weight) const {
    side.host = hosts_->lowest(query_, side.first, side.last, side.host + 1);
    if (side.host == kNoHost) enter_group(side, next_host(side), to, weight);
  }

  template <class Weight>
  [[nodiscard]] const Side& better_side(const Weight& weight) const {
    if (above_.host == kNoHost) return below_;
    if (below_.host == kNoHost) return above_;
    const double below = weight(below_.host);
    const double above = weight(above_.host);
    if (below == above) return below_.host < above_.host ? below_ : above_;
    return below > above ? below_ : above_;
  }

  /// The weights on the other side are not known from the keys, so these hosts are walked.
  template <class Weight>
  [[nodiscard]] std::size_t count_better_on_other_side(const Side& best, const KeyTarget<Key>& to,
                                                       const Weight& weight,
                                                       std::size_t enough) const {
    if (to.has_one_side()) return 0;
    KeyWalk other = *this;
    other.query_.fit = Fit::kBesideVms;
    Side& side = best.is_below ? other.above_ : other.below_;
    const NearestHosts<Key> nearest =
        hosts_->nearest(other.query_, best.is_below ? kLowest : to.just_above(),
                        best.is_below ? to.target : kLargest);
    other.enter_group(side, best.is_below ? nearest.above : nearest.below, to, weight);
    const double best_weight = weight(best.host);
    std::size_t count = 0;
    while (count < enough && side.host != kNoHost) {
      const double side_weight = weight(side.host);
      if (side_weight < best_weight || (side_weight == best_weight && side.host > best.host)) break;
      ++count;
      other.advance_side(side, to, weight);
    }
    return count;
  }

  const KeyedHosts<Key>* hosts_ = nullptr;
  RoomQuery query_;
  Side below_{.is_below = true};
  Side above_{.is_below = false};
  At at_ = At::kNowhere;
};

}  // namespace cospot
