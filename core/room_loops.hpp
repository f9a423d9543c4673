#pragma once

// The loops over host columns, written once. Included by one file for each instruction set, which
// the build compiles for that set; the set is a template argument, so the linker never mixes them.

#include <limits>

#include "core/room_kernels.hpp"
#include "core/room_lanes.hpp"

namespace cospot {

/// The kernels of one instruction set.
template <class Key>
struct KernelSet {
  NearestHosts<Key> (*nearest)(const RoomColumns<Key>&, const RoomQuery&, Key, Key);
  HostIndex (*lowest)(const RoomColumns<Key>&, const RoomQuery&, Key, Key, HostIndex);
  std::size_t (*count)(const RoomColumns<Key>&, const RoomQuery&, Key, Key, HostIndex);
};

template <class Key>
[[nodiscard]] KernelSet<Key> portable_kernels();
template <class Key>
[[nodiscard]] KernelSet<Key> avx2_kernels();
template <class Key>
[[nodiscard]] KernelSet<Key> avx512_kernels();

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
      return has_room(hosts_.beside_vms, row);
    } else if constexpr (kFit == Fit::kBesideAll) {
      return has_room(hosts_.beside_all, row);
    } else {
      return L::but_not(has_room(hosts_.beside_vms, row), has_room(hosts_.beside_all, row));
    }
  }

 private:
  [[gnu::always_inline]] typename L::Mask has_room(const ResourceAmount* const (&room)[3],
                                                   std::size_t row) const {
    const auto fits = L::has_room_in(L::has_room(room[0] + row, vcpus_), room[1] + row, memory_mb_);
    if constexpr (kResources == 3) {
      return L::has_room_in(fits, room[2] + row, disk_gb_);
    } else {
      return fits;
    }
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
  [[gnu::always_inline]] void take(typename L::Mask fits, typename L::Keys key,
                                   typename L::Keys limit, typename L::Rows rows) {
    const auto better = beyond_in(beyond_in(fits, limit, key), key, keys_);
    keys_ = L::pick(better, key, keys_);
    rows_ = L::pick_rows(better, rows, rows_);
  }

  /// The best over all lanes of both; ties go to the lowest row.
  [[nodiscard]] static KeyedHost<Key> best_of(const BestKeys& a, const BestKeys& b) {
    const auto b_is_better = kDown ? L::above(b.keys_, a.keys_) : L::above(a.keys_, b.keys_);
    const auto better = L::pick(b_is_better, b.keys_, a.keys_);
    const Key key = kDown ? L::largest(better) : L::smallest(better);
    if (key == kNone) return {};
    const auto wanted = L::all_keys(key);
    const std::uint32_t row_a = L::least_row(L::equal(a.keys_, wanted), a.rows_);
    const std::uint32_t row_b = L::least_row(L::equal(b.keys_, wanted), b.rows_);
    return {key, row_a < row_b ? row_a : row_b};
  }

 private:
  /// The rows of `mask` where a walk in this direction comes to b before a.
  [[gnu::always_inline]] static typename L::Mask beyond_in(typename L::Mask mask,
                                                           typename L::Keys a, typename L::Keys b) {
    return kDown ? L::above_in(mask, a, b) : L::above_in(mask, b, a);
  }

  typename L::Keys keys_ = L::all_keys(kNone);
  typename L::Rows rows_ = L::first_rows(0);
};

template <class Key, InstructionSet kSet, Fit kFit, int kResources, bool kBelow, bool kAbove>
NearestHosts<Key> nearest_in(const RoomColumns<Key>& hosts, const RoomQuery& query, Key below_this,
                             Key above_this) {
  using L = Lanes<Key, kSet>;
  const auto limit_below = L::all_keys(below_this);
  const auto limit_above = L::all_keys(above_this);
  const FitTest<Key, kSet, kFit, kResources> fits(hosts, query.need);
  // Two of each: taking a key depends on the one before.
  BestKeys<Key, kSet, true> below[2];
  BestKeys<Key, kSet, false> above[2];
  for (std::size_t row = 0; row < hosts.rows; row += 2 * L::kCount) {
    for (std::size_t half = 0; half < 2; ++half) {
      const std::size_t first = row + half * L::kCount;
      const auto key = L::load(hosts.key + first);
      const auto fit = fits(first);
      const auto rows = L::first_rows(first);
      if constexpr (kBelow) below[half].take(fit, key, limit_below, rows);
      if constexpr (kAbove) above[half].take(fit, key, limit_above, rows);
    }
  }
  NearestHosts<Key> found;
  if constexpr (kBelow)
    found.below = host_of(hosts, BestKeys<Key, kSet, true>::best_of(below[0], below[1]));
  if constexpr (kAbove)
    found.above = host_of(hosts, BestKeys<Key, kSet, false>::best_of(above[0], above[1]));
  return found;
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

/// When row r is host r, the first row from `from` on is the answer.
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

template <class Key, InstructionSet kSet, Fit kFit, int kResources>
std::size_t count_in(const RoomColumns<Key>& hosts, const RoomQuery& query, Key first, Key last,
                     HostIndex before) {
  const RangeTest<Key, kSet, kFit, kResources> in_range(hosts, query.need, first, last);
  const auto is_before = [&](std::size_t row) {
    return (hosts.host == nullptr ? static_cast<HostIndex>(row) : hosts.host[row]) < before;
  };
  std::size_t count = 0;
  for (std::size_t row = 0; row < hosts.rows; row += Lanes<Key, kSet>::kCount) {
    std::uint32_t bits = in_range(row);
    if (before == kNoHost) {
      count += static_cast<std::size_t>(__builtin_popcount(bits));
      continue;
    }
    for (; bits != 0; bits &= bits - 1) {
      count += is_before(row + static_cast<std::size_t>(__builtin_ctz(bits))) ? 1 : 0;
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
  return with_constants(query, [&]<Fit kFit, int kResources>() {
    if (above_this == std::numeric_limits<Key>::max()) {
      return nearest_in<Key, kSet, kFit, kResources, true, false>(hosts, query, below_this,
                                                                  above_this);
    }
    if (below_this == std::numeric_limits<Key>::lowest()) {
      return nearest_in<Key, kSet, kFit, kResources, false, true>(hosts, query, below_this,
                                                                  above_this);
    }
    return nearest_in<Key, kSet, kFit, kResources, true, true>(hosts, query, below_this,
                                                               above_this);
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
std::size_t count(const RoomColumns<Key>& hosts, const RoomQuery& query, Key first, Key last,
                  HostIndex before) {
  return with_constants(query, [&]<Fit kFit, int kResources>() {
    return count_in<Key, kSet, kFit, kResources>(hosts, query, first, last, before);
  });
}

template <class Key, InstructionSet kSet>
[[nodiscard]] constexpr KernelSet<Key> kernels() {
  static_assert(Lanes<Key, kSet>::kCount <= static_cast<int>(kRowPadding) / 2);
  return {&nearest<Key, kSet>, &lowest<Key, kSet>, &count<Key, kSet>};
}

}  // namespace room_loops
}  // namespace cospot
