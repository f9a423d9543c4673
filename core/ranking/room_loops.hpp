#pragma once

// The loops over host columns, written once. Included by one file for each instruction set, which
// the build compiles for that set; the set is a template argument, so the linker never mixes them.

#include <bit>
#include <limits>

#include "core/ranking/kernel_set.hpp"
#include "core/ranking/room_kernels.hpp"
#include "core/ranking/room_lanes.hpp"

namespace cospot {

namespace room_loops {

/// Tells which rows have room for a need; fit and number of resources are constants.
template <class Key, InstructionSet kSet, Fit kFit, int kResources>
class FitTest {
  using L = Lanes<Key, kSet>;

 public:
  FitTest(const RoomColumns<Key>& hosts, const ResourceVector& need)
      : hosts_(hosts),
        vcpus_(L::all_amounts(need.vcpus)),
        memory_mb_(L::all_amounts(need.memory_mb)),
        disk_gb_(L::all_amounts(need.disk_gb)) {}

  [[gnu::always_inline]] typename L::Mask operator()(std::size_t row) const {
    if constexpr (kFit == Fit::kBesideVms) {
      return has_room(hosts_.free_ignoring_spots, row);
    } else if constexpr (kFit == Fit::kBesideAll) {
      return has_room(hosts_.free, row);
    } else {
      return L::but_not(has_room(hosts_.free_ignoring_spots, row), has_room(hosts_.free, row));
    }
  }

 private:
  [[gnu::always_inline]] typename L::Mask has_room(const ResourceAmount* const (&room)[3],
                                                   std::size_t row) const {
    auto mask = L::has_room(room[0] + row, vcpus_);
    mask = L::has_room_in(mask, room[1] + row, memory_mb_);
    if constexpr (kResources == 3) mask = L::has_room_in(mask, room[2] + row, disk_gb_);
    return mask;
  }

  const RoomColumns<Key>& hosts_;
  typename L::Amounts vcpus_;
  typename L::Amounts memory_mb_;
  typename L::Amounts disk_gb_;
};

/// Turns a row into the host it holds.
template <class Key>
[[nodiscard]] KeyedHost<Key> host_of(const RoomColumns<Key>& hosts, KeyedHost<Key> found) {
  if (found.host != kNoHost && hosts.host != nullptr) found.host = hosts.host[found.host];
  return found;
}

/// The best key so far in every lane and the first row that has it; down is the way to lower keys.
template <class Key, InstructionSet kSet, bool kDown>
class BestKeys {
  using L = Lanes<Key, kSet>;
  static constexpr Key kNone =
      kDown ? std::numeric_limits<Key>::lowest() : std::numeric_limits<Key>::max();

 public:
  /// Takes note of those `candidates` that are better than the best so far. That comparison comes
  /// last: all that the loop carries from row to row is it and the two moves.
  [[gnu::always_inline]] void take(typename L::Mask candidates, typename L::Keys key,
                                   std::size_t row) {
    const auto better = beyond_in(candidates, key, keys_);
    keys_ = L::pick(better, key, keys_);
    rows_ = L::pick_rows(better, L::first_rows(row), rows_);
  }

  /// The rows of `mask` whose key lies beyond the limit.
  [[gnu::always_inline]] static typename L::Mask beyond_limit(typename L::Mask mask,
                                                              typename L::Keys key,
                                                              typename L::Keys limit) {
    return beyond_in(mask, limit, key);
  }

  /// The best over all lanes of both; ties go to the lowest row.
  [[nodiscard]] static KeyedHost<Key> best_of(const BestKeys& a, const BestKeys& b) {
    const auto b_is_better = kDown ? L::above(b.keys_, a.keys_) : L::above(a.keys_, b.keys_);
    const auto better = L::pick(b_is_better, b.keys_, a.keys_);
    const Key key = kDown ? L::largest(better) : L::smallest(better);
    if (key == kNone) return {};
    const auto wanted = L::all_keys(key);
    std::uint32_t rows[2 * L::kCount];
    L::store_rows(rows, a.rows_);
    L::store_rows(rows + L::kCount, b.rows_);
    std::uint32_t bits = L::bits(L::equal(a.keys_, wanted)) | L::bits(L::equal(b.keys_, wanted))
                                                                  << L::kCount;
    std::uint32_t least = kNoHost;
    for (; bits != 0; bits &= bits - 1) {  // as a rule there is one
      const std::uint32_t row = rows[__builtin_ctz(bits)];
      least = row < least ? row : least;
    }
    return {key, least};
  }

 private:
  [[gnu::always_inline]] static typename L::Mask beyond_in(typename L::Mask mask,
                                                           typename L::Keys a, typename L::Keys b) {
    return kDown ? L::above_in(mask, a, b) : L::above_in(mask, b, a);
  }

  typename L::Keys keys_ = L::all_keys(kNone);
  typename L::Rows rows_ = L::first_rows(0);
};

/// The nearest host on one side of a limit; without a limit, the outermost key of all.
template <class Key, InstructionSet kSet, Fit kFit, int kResources, bool kDown, bool kLimited>
KeyedHost<Key> nearest_on_side(const RoomColumns<Key>& hosts, const RoomQuery& query, Key limit) {
  using L = Lanes<Key, kSet>;
  const auto limits = L::all_keys(limit);
  const FitTest<Key, kSet, kFit, kResources> fits(hosts, query.need);
  BestKeys<Key, kSet, kDown> best[2];  // two, because taking a key waits for the one before
  for (std::size_t first = 0; first < hosts.rows; first += 2 * L::kCount) {
    for (std::size_t half = 0; half < 2; ++half) {
      const std::size_t row = first + half * L::kCount;
      const auto key = L::load(hosts.key + row);
      auto candidates = fits(row);
      if constexpr (kLimited) candidates = best[half].beyond_limit(candidates, key, limits);
      best[half].take(candidates, key, row);
    }
  }
  return host_of(hosts, BestKeys<Key, kSet, kDown>::best_of(best[0], best[1]));
}

/// The nearest hosts on both sides in one pass.
template <class Key, InstructionSet kSet, Fit kFit, int kResources>
NearestHosts<Key> nearest_on_both(const RoomColumns<Key>& hosts, const RoomQuery& query,
                                  Key below_this, Key above_this) {
  using L = Lanes<Key, kSet>;
  const auto limit_below = L::all_keys(below_this);
  const auto limit_above = L::all_keys(above_this);
  const FitTest<Key, kSet, kFit, kResources> fits(hosts, query.need);
  BestKeys<Key, kSet, true> below[2];
  BestKeys<Key, kSet, false> above[2];
  for (std::size_t first = 0; first < hosts.rows; first += 2 * L::kCount) {
    for (std::size_t half = 0; half < 2; ++half) {
      const std::size_t row = first + half * L::kCount;
      const auto key = L::load(hosts.key + row);
      const auto fit = fits(row);
      below[half].take(below[half].beyond_limit(fit, key, limit_below), key, row);
      above[half].take(above[half].beyond_limit(fit, key, limit_above), key, row);
    }
  }
  return {host_of(hosts, BestKeys<Key, kSet, true>::best_of(below[0], below[1])),
          host_of(hosts, BestKeys<Key, kSet, false>::best_of(above[0], above[1]))};
}

/// As first_from_end(); down is from the highest key. Most often a host lies on the plateau at that
/// end: the first such row is the answer.
template <class Key, InstructionSet kSet, Fit kFit, int kResources, bool kDown>
KeyedHost<Key> first_from_plateau(const RoomColumns<Key>& hosts, const RoomQuery& query,
                                  const ClampedKeys<Key>& keys) {
  using L = Lanes<Key, kSet>;
  const auto absent = L::all_keys(std::numeric_limits<Key>::lowest());
  const auto plateau = L::all_keys(kDown ? keys.high : keys.low);
  const auto far_end = L::all_keys(kDown ? keys.low : keys.high);
  const FitTest<Key, kSet, kFit, kResources> fits(hosts, query.need);
  BestKeys<Key, kSet, kDown> best[2];
  for (std::size_t first = 0; first < hosts.rows; first += 2 * L::kCount) {
    for (std::size_t half = 0; half < 2; ++half) {
      const std::size_t row = first + half * L::kCount;
      auto key = L::load(hosts.key + row);
      const auto candidates = L::above_in(fits(row), key, absent);
      key = L::pick(kDown ? L::above(far_end, key) : L::above(key, far_end), far_end, key);
      const auto is_best = kDown ? L::at_least(key, plateau) : L::at_least(plateau, key);
      if (const std::uint32_t bits = L::bits(L::both(candidates, is_best)); bits != 0) {
        return {kDown ? keys.high : keys.low,
                static_cast<HostIndex>(row) + static_cast<HostIndex>(__builtin_ctz(bits))};
      }
      best[half].take(candidates, key, row);
    }
  }
  return BestKeys<Key, kSet, kDown>::best_of(best[0], best[1]);
}

/// The rows whose key lies in [first, last] and that fit, as bits. Few keys lie there, as a rule,
/// so the rooms are looked at only where one does.
template <class Key, InstructionSet kSet, Fit kFit, int kResources>
class RangeTest {
  using L = Lanes<Key, kSet>;

 public:
  RangeTest(const RoomColumns<Key>& hosts, const ResourceVector& need, Key first, Key last)
      : keys_(hosts.key),
        fits_(hosts, need),
        first_(L::all_keys(first)),
        last_(L::all_keys(last)) {}

  [[gnu::always_inline]] std::uint32_t operator()(std::size_t row) const {
    const auto key = L::load(keys_ + row);
    const auto in_range = L::both(L::at_least(key, first_), L::at_least(last_, key));
    if (L::bits(in_range) == 0) return 0;
    return L::bits(L::both(in_range, fits_(row)));
  }

 private:
  const Key* keys_;
  FitTest<Key, kSet, kFit, kResources> fits_;
  typename L::Keys first_;
  typename L::Keys last_;
};

/// If row r is host r, the first row from `from` on is the answer.
template <class Key, InstructionSet kSet, Fit kFit, int kResources>
HostIndex lowest_by_row(const RoomColumns<Key>& hosts, const RoomQuery& query, Key first, Key last,
                        HostIndex from) {
  constexpr std::size_t kLanes = Lanes<Key, kSet>::kCount;
  const RangeTest<Key, kSet, kFit, kResources> in_range(hosts, query.need, first, last);
  std::uint32_t wanted = ~0U << (from % kLanes);
  for (std::size_t row = from - from % kLanes; row < hosts.rows; row += kLanes) {
    const std::uint32_t bits = in_range(row) & wanted;
    if (bits != 0) {
      return static_cast<HostIndex>(row) + static_cast<HostIndex>(__builtin_ctz(bits));
    }
    wanted = ~0U;
  }
  return kNoHost;
}

/// As lowest_by_row(), where rows changed.
template <class Key, InstructionSet kSet, Fit kFit, int kResources>
HostIndex lowest_of_changed(const RoomColumns<Key>& hosts, const RoomQuery& query, Key first,
                            Key last, const RowChanges& changes, HostIndex end) {
  using Times = Lanes<std::int32_t, kSet>;
  const RangeTest<Key, kSet, kFit, kResources> in_range(hosts, query.need, first, last);
  const auto since = Times::all_keys(changes.since);
  for (std::size_t part = 0; part * kRowsOfChange < end; part += Times::kCount) {
    std::uint32_t bits = Times::bits(Times::above(Times::load(changes.changed + part), since));
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t start =
          (part + static_cast<std::size_t>(__builtin_ctz(bits))) * kRowsOfChange;
      for (std::size_t row = start; row < start + kRowsOfChange; row += Lanes<Key, kSet>::kCount) {
        if (row >= end) return kNoHost;
        if (const std::uint32_t hits = in_range(row); hits != 0) {
          const auto found =
              static_cast<HostIndex>(row) + static_cast<HostIndex>(__builtin_ctz(hits));
          return found < end ? found : kNoHost;
        }
      }
    }
  }
  return kNoHost;
}

/// Without an order of rows, every host in range is looked at.
template <class Key, InstructionSet kSet, Fit kFit, int kResources>
HostIndex lowest_of_all(const RoomColumns<Key>& hosts, const RoomQuery& query, Key first, Key last,
                        HostIndex from) {
  const RangeTest<Key, kSet, kFit, kResources> in_range(hosts, query.need, first, last);
  HostIndex lowest = kNoHost;
  for (std::size_t row = 0; row < hosts.rows; row += Lanes<Key, kSet>::kCount) {
    for (std::uint32_t bits = in_range(row); bits != 0; bits &= bits - 1) {
      const HostIndex host = hosts.host[row + static_cast<std::size_t>(__builtin_ctz(bits))];
      if (host >= from && host < lowest) lowest = host;
    }
  }
  return lowest;
}

/// From the end downward, the first row that fits is the answer.
template <class Key, InstructionSet kSet, Fit kFit, int kResources>
HostIndex last_row(const RoomColumns<Key>& hosts, const RoomQuery& query, HostIndex end) {
  using L = Lanes<Key, kSet>;
  constexpr std::size_t kLanes = L::kCount;
  const FitTest<Key, kSet, kFit, kResources> fits(hosts, query.need);
  std::uint32_t wanted = end % kLanes == 0 ? ~0U : (1U << (end % kLanes)) - 1;
  for (std::size_t row = (end + kLanes - 1) / kLanes * kLanes; row > 0;) {
    row -= kLanes;
    const std::uint32_t bits = L::bits(fits(row)) & wanted;
    if (bits != 0) {
      return static_cast<HostIndex>(row) + static_cast<HostIndex>(std::bit_width(bits)) - 1;
    }
    wanted = ~0U;
  }
  return kNoHost;
}

/// The compiler vectorises this by itself.
template <InstructionSet kSet>
ResourceAmount largest_amount(const ResourceAmount* room, std::size_t rows) {
  ResourceAmount largest = -1;
  for (std::size_t row = 0; row < rows; ++row) largest = room[row] > largest ? room[row] : largest;
  return largest;
}

/// If row r is host r and all counted hosts belong to the group: the rows before `before`.
template <class Key, InstructionSet kSet, Fit kFit, int kResources>
std::size_t count_group_by_row(const RoomColumns<Key>& hosts, const RoomQuery& query,
                               const CountedRange<Key>& range) {
  constexpr std::size_t kLanes = Lanes<Key, kSet>::kCount;
  const RangeTest<Key, kSet, kFit, kResources> in_range(hosts, query.need, range.first, range.last);
  const std::size_t rows = range.before < hosts.rows ? range.before : hosts.rows;
  std::size_t count = 0;
  for (std::size_t row = 0; row < rows && count < range.enough; row += kLanes) {
    const std::uint32_t wanted = rows - row < kLanes ? (1U << (rows - row)) - 1 : ~0U;
    count += static_cast<std::size_t>(__builtin_popcount(in_range(row) & wanted));
  }
  return count;
}

template <class Key, InstructionSet kSet, Fit kFit, int kResources>
std::size_t count_in(const RoomColumns<Key>& hosts, const RoomQuery& query,
                     const CountedRange<Key>& range) {
  const bool is_one_group = range.first >= range.group_first && range.last <= range.group_last;
  if (hosts.host == nullptr && is_one_group) {
    return count_group_by_row<Key, kSet, kFit, kResources>(hosts, query, range);
  }
  const RangeTest<Key, kSet, kFit, kResources> in_range(hosts, query.need, range.first, range.last);
  const auto is_counted = [&](std::size_t row) {
    const Key key = hosts.key[row];
    const HostIndex host = hosts.host == nullptr ? static_cast<HostIndex>(row) : hosts.host[row];
    return host < range.before || key < range.group_first || key > range.group_last;
  };
  std::size_t count = 0;
  for (std::size_t row = 0; row < hosts.rows && count < range.enough;
       row += Lanes<Key, kSet>::kCount) {
    for (std::uint32_t bits = in_range(row); bits != 0; bits &= bits - 1) {
      count += is_counted(row + static_cast<std::size_t>(__builtin_ctz(bits))) ? 1 : 0;
    }
  }
  return count;
}

/// Calls `loop` with the query's fit and number of resources as template arguments, so that the
/// loops have no branches on them.
template <class Loop>
[[gnu::always_inline]] inline auto with_constants(const RoomQuery& query, const Loop& loop) {
  const auto with_resources = [&]<Fit kFit>() {
    return query.with_disk ? loop.template operator()<kFit, 3>()
                           : loop.template operator()<kFit, 2>();
  };
  switch (query.fit) {
    case Fit::kBesideVms:
      return with_resources.template operator()<Fit::kBesideVms>();
    case Fit::kBesideAll:
      return with_resources.template operator()<Fit::kBesideAll>();
    case Fit::kOnlyWithEvictions:
      break;
  }
  return with_resources.template operator()<Fit::kOnlyWithEvictions>();
}

template <class Key, InstructionSet kSet>
NearestHosts<Key> nearest(const RoomColumns<Key>& hosts, const RoomQuery& query, Key below_this,
                          Key above_this) {
  constexpr Key kLowest = std::numeric_limits<Key>::lowest();
  constexpr Key kLargest = std::numeric_limits<Key>::max();
  return with_constants(query, [&]<Fit kFit, int kResources>() -> NearestHosts<Key> {
    if (above_this == kLargest) {
      return {
          below_this == kLargest
              ? nearest_on_side<Key, kSet, kFit, kResources, true, false>(hosts, query, 0)
              : nearest_on_side<Key, kSet, kFit, kResources, true, true>(hosts, query, below_this),
          {}};
    }
    if (below_this == kLowest) {
      return {{},
              nearest_on_side<Key, kSet, kFit, kResources, false, true>(hosts, query, above_this)};
    }
    return nearest_on_both<Key, kSet, kFit, kResources>(hosts, query, below_this, above_this);
  });
}

template <class Key, InstructionSet kSet>
HostIndex lowest(const RoomColumns<Key>& hosts, const RoomQuery& query, Key first, Key last,
                 HostIndex from) {
  return with_constants(query, [&]<Fit kFit, int kResources>() {
    return hosts.host == nullptr
               ? lowest_by_row<Key, kSet, kFit, kResources>(hosts, query, first, last, from)
               : lowest_of_all<Key, kSet, kFit, kResources>(hosts, query, first, last, from);
  });
}

template <class Key, InstructionSet kSet>
HostIndex last(const RoomColumns<Key>& hosts, const RoomQuery& query, HostIndex end) {
  return with_constants(query, [&]<Fit kFit, int kResources>() {
    return last_row<Key, kSet, kFit, kResources>(hosts, query, end);
  });
}

template <class Key, InstructionSet kSet>
LargestRooms largest(const RoomColumns<Key>& hosts, bool with_disk) {
  const auto largest_of = [&](const ResourceAmount* const(&room)[3]) -> ResourceVector {
    return {largest_amount<kSet>(room[0], hosts.rows), largest_amount<kSet>(room[1], hosts.rows),
            with_disk ? largest_amount<kSet>(room[2], hosts.rows) : 0};
  };
  return {largest_of(hosts.free_ignoring_spots), largest_of(hosts.free)};
}

template <class Key, InstructionSet kSet>
std::size_t count(const RoomColumns<Key>& hosts, const RoomQuery& query,
                  const CountedRange<Key>& range) {
  return with_constants(query, [&]<Fit kFit, int kResources>() {
    return count_in<Key, kSet, kFit, kResources>(hosts, query, range);
  });
}

template <class Key, InstructionSet kSet>
KeyedHost<Key> first_from_end(const RoomColumns<Key>& hosts, const RoomQuery& query,
                              const ClampedKeys<Key>& keys) {
  return with_constants(query, [&]<Fit kFit, int kResources>() {
    return keys.from_highest
               ? first_from_plateau<Key, kSet, kFit, kResources, true>(hosts, query, keys)
               : first_from_plateau<Key, kSet, kFit, kResources, false>(hosts, query, keys);
  });
}

template <class Key, InstructionSet kSet>
HostIndex lowest_changed(const RoomColumns<Key>& hosts, const RoomQuery& query, Key first, Key last,
                         const RowChanges& changes, HostIndex end) {
  return with_constants(query, [&]<Fit kFit, int kResources>() {
    return lowest_of_changed<Key, kSet, kFit, kResources>(hosts, query, first, last, changes, end);
  });
}

template <class Key, InstructionSet kSet>
[[nodiscard]] constexpr KernelSet<Key> kernels() {
  static_assert(Lanes<Key, kSet>::kCount <= static_cast<int>(kRowPadding) / 2);
  return {&nearest<Key, kSet>,       &lowest<Key, kSet>, &last<Key, kSet>,
          &largest<Key, kSet>,       &count<Key, kSet>,  &first_from_end<Key, kSet>,
          &lowest_changed<Key, kSet>};
}

}  // namespace room_loops
}  // namespace cospot
