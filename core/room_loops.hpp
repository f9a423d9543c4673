#pragma once

// The loops over host columns, for vectors of any width. Included by one file for each instruction
// set, which the build compiles for that set; the width is a template argument, so the linker never
// mixes them up. GCC splits vectors it has no registers for before it inlines, so a target
// attribute on a wrapper would come too late.

#include <cstring>
#include <limits>
#include <type_traits>

#include "core/room_kernels.hpp"

namespace cospot {

/// The kernels of one instruction set.
template <class Key>
struct KernelSet {
  NearestKeys<Key> (*nearest)(const RoomColumns<Key>&, const RoomQuery<Key>&, Key, Key);
  HostIndex (*lowest)(const RoomColumns<Key>&, const RoomQuery<Key>&, Key, Key, HostIndex);
};

template <class Key>
[[nodiscard]] KernelSet<Key> portable_kernels();
template <class Key>
[[nodiscard]] KernelSet<Key> avx2_kernels();
template <class Key>
[[nodiscard]] KernelSet<Key> avx512_kernels();

namespace room_loops {

template <class T, int kLanes>
struct VectorOf {
  typedef T type __attribute__((vector_size(kLanes * sizeof(T))));
};
template <class T, int kLanes>
using Vector = typename VectorOf<T, kLanes>::type;

/// The integer as wide as a key: what comparing keys yields.
template <class Key>
using KeyMask = std::conditional_t<sizeof(Key) == 4, std::int32_t, std::int64_t>;

template <class V, class T>
[[gnu::always_inline]] inline void load(V& vector, const T* from) {
  std::memcpy(&vector, from, sizeof vector);
}

template <class T, int kLanes>
[[gnu::always_inline]] inline T largest_lane(const Vector<T, kLanes>& vector) {
  T lanes[kLanes];
  std::memcpy(lanes, &vector, sizeof lanes);
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) {
      lanes[i] = lanes[i] > lanes[i + width] ? lanes[i] : lanes[i + width];
    }
  }
  return lanes[0];
}

template <class T, int kLanes>
[[gnu::always_inline]] inline T smallest_lane(const Vector<T, kLanes>& vector) {
  T lanes[kLanes];
  std::memcpy(lanes, &vector, sizeof lanes);
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) {
      lanes[i] = lanes[i] < lanes[i + width] ? lanes[i] : lanes[i + width];
    }
  }
  return lanes[0];
}

/// Sets all bits of the lanes whose host has room for `need` in the given columns.
template <int kLanes, int kResources>
[[gnu::always_inline]] inline void room_mask(const ResourceAmount* const (&room)[3],
                                             const ResourceVector& need, std::size_t row,
                                             Vector<std::int32_t, kLanes>& mask) {
  Vector<std::int32_t, kLanes> column;
  load(column, room[0] + row);
  mask = column >= need.vcpus;
  load(column, room[1] + row);
  mask &= column >= need.memory_mb;
  if constexpr (kResources == 3) {
    load(column, room[2] + row);
    mask &= column >= need.disk_gb;
  }
}

template <class Key, int kLanes, Fit kFit, int kResources>
[[gnu::always_inline]] inline void fit_mask(const RoomColumns<Key>& hosts,
                                            const ResourceVector& need, std::size_t row,
                                            Vector<std::int32_t, kLanes>& mask) {
  if constexpr (kFit == Fit::kBesideAll) {
    room_mask<kLanes, kResources>(hosts.beside_all, need, row, mask);
  } else {
    room_mask<kLanes, kResources>(hosts.beside_vms, need, row, mask);
    if constexpr (kFit == Fit::kOnlyWithEvictions) {
      Vector<std::int32_t, kLanes> beside_all;
      room_mask<kLanes, kResources>(hosts.beside_all, need, row, beside_all);
      mask &= ~beside_all;
    }
  }
}

/// Loads keys clamped to [low, high].
template <class Key, int kLanes>
[[gnu::always_inline]] inline void load_clamped(const RoomColumns<Key>& hosts, std::size_t row,
                                                const RoomQuery<Key>& query,
                                                Vector<Key, kLanes>& key) {
  load(key, hosts.key + row);
  const Vector<Key, kLanes> low = query.low - Vector<Key, kLanes>{};
  const Vector<Key, kLanes> high = query.high - Vector<Key, kLanes>{};
  key = key > low ? key : low;
  key = key < high ? key : high;
}

template <class Key, int kLanes>
[[gnu::always_inline]] inline void widen(const Vector<std::int32_t, kLanes>& narrow,
                                         Vector<KeyMask<Key>, kLanes>& mask) {
  if constexpr (sizeof(Key) == 4) {
    mask = narrow;
  } else {
    mask = __builtin_convertvector(narrow, Vector<std::int64_t, kLanes>);
  }
}

template <class Key, int kLanes, Fit kFit, int kResources>
[[gnu::always_inline]] inline NearestKeys<Key> nearest_in(const RoomColumns<Key>& hosts,
                                                          const RoomQuery<Key>& query,
                                                          Key below_this, Key above_this) {
  using Keys = Vector<Key, kLanes>;
  const Keys none_below = std::numeric_limits<Key>::lowest() - Keys{};
  const Keys none_above = std::numeric_limits<Key>::max() - Keys{};
  const ResourceVector need = query.need;
  Keys below = none_below;
  Keys above = none_above;
  for (std::size_t row = 0; row < hosts.rows; row += kLanes) {
    Vector<std::int32_t, kLanes> narrow;
    fit_mask<Key, kLanes, kFit, kResources>(hosts, need, row, narrow);
    Vector<KeyMask<Key>, kLanes> fits;
    widen<Key, kLanes>(narrow, fits);
    Keys key;
    load_clamped<Key, kLanes>(hosts, row, query, key);
    const Keys left = (fits & (key < below_this)) ? key : none_below;
    const Keys right = (fits & (key > above_this)) ? key : none_above;
    below = left > below ? left : below;
    above = right < above ? right : above;
  }
  return {largest_lane<Key, kLanes>(below), smallest_lane<Key, kLanes>(above)};
}

template <class Key, int kLanes, Fit kFit, int kResources>
[[gnu::always_inline]] inline HostIndex lowest_in(const RoomColumns<Key>& hosts,
                                                  const RoomQuery<Key>& query, Key first, Key last,
                                                  HostIndex from) {
  using Hosts = Vector<std::int32_t, kLanes>;
  constexpr std::int32_t kNone = std::numeric_limits<std::int32_t>::max();
  const Hosts none = kNone - Hosts{};
  const ResourceVector need = query.need;
  const auto from_host = static_cast<std::int32_t>(from);
  Hosts lowest = none;
  for (std::size_t row = 0; row < hosts.rows; row += kLanes) {
    Hosts fits;
    fit_mask<Key, kLanes, kFit, kResources>(hosts, need, row, fits);
    Vector<Key, kLanes> key;
    load_clamped<Key, kLanes>(hosts, row, query, key);
    const Vector<KeyMask<Key>, kLanes> in_range = (key >= first) & (key <= last);
    Hosts narrow;
    if constexpr (sizeof(Key) == 4) {
      narrow = in_range;
    } else {
      narrow = __builtin_convertvector(in_range, Hosts);
    }
    Hosts host;
    load(host, hosts.host + row);
    const Hosts candidate = (fits & narrow & (host >= from_host)) ? host : none;
    lowest = candidate < lowest ? candidate : lowest;
  }
  const std::int32_t found = smallest_lane<std::int32_t, kLanes>(lowest);
  return found == kNone ? kNoHost : static_cast<HostIndex>(found);
}

/// Picks the instantiation for the query's fit and resources, so that the loops have no branches.
template <class Key, int kLanes>
NearestKeys<Key> dispatch_nearest(const RoomColumns<Key>& hosts, const RoomQuery<Key>& query,
                                  Key below, Key above) {
  switch (query.fit) {
    case Fit::kBesideVms:
      return query.with_disk
                 ? nearest_in<Key, kLanes, Fit::kBesideVms, 3>(hosts, query, below, above)
                 : nearest_in<Key, kLanes, Fit::kBesideVms, 2>(hosts, query, below, above);
    case Fit::kBesideAll:
      return query.with_disk
                 ? nearest_in<Key, kLanes, Fit::kBesideAll, 3>(hosts, query, below, above)
                 : nearest_in<Key, kLanes, Fit::kBesideAll, 2>(hosts, query, below, above);
    case Fit::kOnlyWithEvictions:
      break;
  }
  return query.with_disk
             ? nearest_in<Key, kLanes, Fit::kOnlyWithEvictions, 3>(hosts, query, below, above)
             : nearest_in<Key, kLanes, Fit::kOnlyWithEvictions, 2>(hosts, query, below, above);
}

template <class Key, int kLanes>
HostIndex dispatch_lowest(const RoomColumns<Key>& hosts, const RoomQuery<Key>& query, Key first,
                          Key last, HostIndex from) {
  switch (query.fit) {
    case Fit::kBesideVms:
      return query.with_disk
                 ? lowest_in<Key, kLanes, Fit::kBesideVms, 3>(hosts, query, first, last, from)
                 : lowest_in<Key, kLanes, Fit::kBesideVms, 2>(hosts, query, first, last, from);
    case Fit::kBesideAll:
      return query.with_disk
                 ? lowest_in<Key, kLanes, Fit::kBesideAll, 3>(hosts, query, first, last, from)
                 : lowest_in<Key, kLanes, Fit::kBesideAll, 2>(hosts, query, first, last, from);
    case Fit::kOnlyWithEvictions:
      break;
  }
  return query.with_disk
             ? lowest_in<Key, kLanes, Fit::kOnlyWithEvictions, 3>(hosts, query, first, last, from)
             : lowest_in<Key, kLanes, Fit::kOnlyWithEvictions, 2>(hosts, query, first, last, from);
}

/// The kernels whose vectors hold `kVectorBytes` bytes.
template <class Key, int kVectorBytes>
[[nodiscard]] constexpr KernelSet<Key> kernels_of_width() {
  constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(Key));
  static_assert(kLanes <= static_cast<int>(kLanePadding));
  return {&dispatch_nearest<Key, kLanes>, &dispatch_lowest<Key, kLanes>};
}

}  // namespace room_loops
}  // namespace cospot
