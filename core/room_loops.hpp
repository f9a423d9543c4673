#pragma once

// The loops over host columns, for vectors of any width. Included by one file for each instruction
// set, which the build compiles for that set; the width is a template argument, so the linker never
// mixes them up. GCC splits vectors it has no registers for before it inlines, so a target
// attribute on a wrapper would come too late.
//
// Lanes that do not count are blended away one condition at a time: compilers turn that into masked
// moves, while masks combined with & are first written out as vectors.

#include <cstring>
#include <limits>
#include <type_traits>

#include "core/room_kernels.hpp"

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

namespace cospot {

/// The kernels of one instruction set.
template <class Key>
struct KernelSet {
  NearestKeys<Key> (*nearest)(const RoomColumns<Key>&, const RoomQuery&, Key, Key);
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

/// Sets the lanes of `value` to `otherwise` where `room` is less than `need`.
template <class T, int kLanes>
[[gnu::always_inline]] inline void blend_out(const ResourceAmount* room, ResourceAmount need,
                                             const Vector<T, kLanes>& otherwise,
                                             Vector<T, kLanes>& value) {
  Vector<std::int32_t, kLanes> column;
  load(column, room);
  const Vector<std::int32_t, kLanes> least = need - Vector<std::int32_t, kLanes>{};
  if constexpr (sizeof(T) == sizeof(std::int32_t)) {
    value = column >= least ? value : otherwise;
  } else {
    const auto fits = __builtin_convertvector(column >= least, Vector<std::int64_t, kLanes>);
    value = fits ? value : otherwise;
  }
}

/// Sets the lanes of `value` to `otherwise` where the host does not fit.
template <class Key, class T, int kLanes, Fit kFit, int kResources>
[[gnu::always_inline]] inline void blend_out_misfits(const RoomColumns<Key>& hosts,
                                                     const ResourceVector& need, std::size_t row,
                                                     const Vector<T, kLanes>& otherwise,
                                                     Vector<T, kLanes>& value) {
  const auto keep_room = [&](const ResourceAmount* const(&room)[3], Vector<T, kLanes>& kept) {
    blend_out<T, kLanes>(room[0] + row, need.vcpus, otherwise, kept);
    blend_out<T, kLanes>(room[1] + row, need.memory_mb, otherwise, kept);
    if constexpr (kResources == 3) {
      blend_out<T, kLanes>(room[2] + row, need.disk_gb, otherwise, kept);
    }
  };
  if constexpr (kFit == Fit::kBesideAll) {
    keep_room(hosts.beside_all, value);
  } else if constexpr (kFit == Fit::kBesideVms) {
    keep_room(hosts.beside_vms, value);
  } else {
    Vector<T, kLanes> fits_beside_all = value;
    keep_room(hosts.beside_all, fits_beside_all);
    keep_room(hosts.beside_vms, value);
    // A lane that differs from `otherwise` in the first fits without evictions.
    value = fits_beside_all == otherwise ? value : otherwise;
  }
}

template <class Key, int kLanes, Fit kFit, int kResources, bool kBelow, bool kAbove>
NearestKeys<Key> nearest_in(const RoomColumns<Key>& hosts, const RoomQuery& query, Key below_this,
                            Key above_this) {
  using Keys = Vector<Key, kLanes>;
  constexpr Key kNoneBelow = std::numeric_limits<Key>::lowest();
  constexpr Key kNoneAbove = std::numeric_limits<Key>::max();
  const Keys none_below = kNoneBelow - Keys{};
  const Keys none_above = kNoneAbove - Keys{};
  const Keys limit_below = below_this - Keys{};
  const Keys limit_above = above_this - Keys{};
  const ResourceVector need = query.need;
  Keys below = none_below;
  Keys above = none_above;
  for (std::size_t row = 0; row < hosts.rows; row += kLanes) {
    Keys key;
    load(key, hosts.key + row);
    if constexpr (kBelow) {
      Keys candidate = key < limit_below ? key : none_below;
      blend_out_misfits<Key, Key, kLanes, kFit, kResources>(hosts, need, row, none_below,
                                                            candidate);
      below = below > candidate ? below : candidate;
    }
    if constexpr (kAbove) {
      Keys candidate = key > limit_above ? key : none_above;
      blend_out_misfits<Key, Key, kLanes, kFit, kResources>(hosts, need, row, none_above,
                                                            candidate);
      above = above < candidate ? above : candidate;
    }
  }
  Key lowest[kLanes];
  Key highest[kLanes];
  std::memcpy(highest, &below, sizeof highest);
  std::memcpy(lowest, &above, sizeof lowest);
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) {
      highest[i] = highest[i] > highest[i + width] ? highest[i] : highest[i + width];
      lowest[i] = lowest[i] < lowest[i + width] ? lowest[i] : lowest[i + width];
    }
  }
  return {highest[0], lowest[0]};
}

/// One bit for each lane that is not zero, the first lane the lowest.
template <class T, int kLanes>
[[gnu::always_inline]] inline std::uint32_t lane_bits(const Vector<T, kLanes>& value) {
#if defined(__AVX512F__) && defined(__AVX512VL__)
  if constexpr (sizeof value == 64 && sizeof(T) == 4) {
    __m512i lanes;
    std::memcpy(&lanes, &value, sizeof lanes);
    return _mm512_test_epi32_mask(lanes, lanes);
  } else if constexpr (sizeof value == 64) {
    __m512i lanes;
    std::memcpy(&lanes, &value, sizeof lanes);
    return _mm512_test_epi64_mask(lanes, lanes);
  }
#elif defined(__AVX2__)
  if constexpr (sizeof value == 32 && sizeof(T) == 4) {
    __m256i lanes;
    std::memcpy(&lanes, &value, sizeof lanes);
    const __m256i zero = _mm256_cmpeq_epi32(lanes, _mm256_setzero_si256());
    return static_cast<std::uint32_t>(~_mm256_movemask_ps(_mm256_castsi256_ps(zero))) & 0xff;
  }
#endif
  T lanes[kLanes];
  std::memcpy(lanes, &value, sizeof lanes);
  std::uint32_t bits = 0;
  for (int lane = 0; lane < kLanes; ++lane) bits |= (lanes[lane] != 0 ? 1U : 0U) << lane;
  return bits;
}

/// -1 in the lanes of hosts that fit and whose key lies in [first, last], 0 elsewhere.
template <class Key, int kLanes, Fit kFit, int kResources>
[[gnu::always_inline]] inline void mark_in_range(const RoomColumns<Key>& hosts,
                                                 const ResourceVector& need, Key first, Key last,
                                                 std::size_t row,
                                                 Vector<KeyMask<Key>, kLanes>& mark) {
  using Marks = Vector<KeyMask<Key>, kLanes>;
  using Keys = Vector<Key, kLanes>;
  const Marks none{};
  Keys key;
  load(key, hosts.key + row);
  const Keys least = first - Keys{};
  const Keys most = last - Keys{};
  mark = key >= least ? KeyMask<Key>{-1} - Marks{} : none;
  mark = key <= most ? mark : none;
  blend_out_misfits<Key, KeyMask<Key>, kLanes, kFit, kResources>(hosts, need, row, none, mark);
}

/// When row r is host r, the first marked row from `from` on is the answer.
template <class Key, int kLanes, Fit kFit, int kResources>
HostIndex lowest_by_row(const RoomColumns<Key>& hosts, const RoomQuery& query, Key first, Key last,
                        HostIndex from) {
  std::uint32_t wanted = ~0U << (from % kLanes);
  for (std::size_t row = from - from % kLanes; row < hosts.rows; row += kLanes) {
    Vector<KeyMask<Key>, kLanes> mark;
    mark_in_range<Key, kLanes, kFit, kResources>(hosts, query.need, first, last, row, mark);
    const std::uint32_t bits = lane_bits<KeyMask<Key>, kLanes>(mark) & wanted;
    if (bits != 0) {
      return static_cast<HostIndex>(row) + static_cast<HostIndex>(__builtin_ctz(bits));
    }
    wanted = ~0U;
  }
  return kNoHost;
}

/// Without an order of rows, every marked host is looked at.
template <class Key, int kLanes, Fit kFit, int kResources>
HostIndex lowest_of_all(const RoomColumns<Key>& hosts, const RoomQuery& query, Key first, Key last,
                        HostIndex from) {
  HostIndex lowest = kNoHost;
  for (std::size_t row = 0; row < hosts.rows; row += kLanes) {
    Vector<KeyMask<Key>, kLanes> mark;
    mark_in_range<Key, kLanes, kFit, kResources>(hosts, query.need, first, last, row, mark);
    std::uint32_t bits = lane_bits<KeyMask<Key>, kLanes>(mark);
    for (; bits != 0; bits &= bits - 1) {
      const HostIndex host = hosts.host[row + static_cast<std::size_t>(__builtin_ctz(bits))];
      if (host >= from && host < lowest) lowest = host;
    }
  }
  return lowest;
}

template <class Key, int kLanes, Fit kFit, int kResources>
std::size_t count_in(const RoomColumns<Key>& hosts, const RoomQuery& query, Key first, Key last,
                     HostIndex before) {
  std::size_t count = 0;
  for (std::size_t row = 0; row < hosts.rows; row += kLanes) {
    Vector<KeyMask<Key>, kLanes> mark;
    mark_in_range<Key, kLanes, kFit, kResources>(hosts, query.need, first, last, row, mark);
    std::uint32_t bits = lane_bits<KeyMask<Key>, kLanes>(mark);
    if (before != kNoHost) {
      std::uint32_t counted = 0;
      for (std::uint32_t rest = bits; rest != 0; rest &= rest - 1) {
        const std::size_t at = row + static_cast<std::size_t>(__builtin_ctz(rest));
        const HostIndex host = hosts.host == nullptr ? static_cast<HostIndex>(at) : hosts.host[at];
        if (host < before) counted |= rest & (~rest + 1);
      }
      bits = counted;
    }
    count += static_cast<std::size_t>(__builtin_popcount(bits));
  }
  return count;
}

/// Calls `loop` with the query's fit and number of resources as template arguments, so that the
/// loops have no branches.
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

template <class Key, int kLanes>
NearestKeys<Key> dispatch_nearest(const RoomColumns<Key>& hosts, const RoomQuery& query,
                                  Key below_this, Key above_this) {
  return with_constants(query, [&]<Fit kFit, int kResources>() {
    if (above_this == std::numeric_limits<Key>::max()) {
      return nearest_in<Key, kLanes, kFit, kResources, true, false>(hosts, query, below_this,
                                                                    above_this);
    }
    if (below_this == std::numeric_limits<Key>::lowest()) {
      return nearest_in<Key, kLanes, kFit, kResources, false, true>(hosts, query, below_this,
                                                                    above_this);
    }
    return nearest_in<Key, kLanes, kFit, kResources, true, true>(hosts, query, below_this,
                                                                 above_this);
  });
}

template <class Key, int kLanes>
HostIndex dispatch_lowest(const RoomColumns<Key>& hosts, const RoomQuery& query, Key first,
                          Key last, HostIndex from) {
  return with_constants(query, [&]<Fit kFit, int kResources>() {
    return hosts.host == nullptr
               ? lowest_by_row<Key, kLanes, kFit, kResources>(hosts, query, first, last, from)
               : lowest_of_all<Key, kLanes, kFit, kResources>(hosts, query, first, last, from);
  });
}

template <class Key, int kLanes>
std::size_t dispatch_count(const RoomColumns<Key>& hosts, const RoomQuery& query, Key first,
                           Key last, HostIndex before) {
  return with_constants(query, [&]<Fit kFit, int kResources>() {
    return count_in<Key, kLanes, kFit, kResources>(hosts, query, first, last, before);
  });
}

/// The kernels whose vectors hold `kVectorBytes` bytes.
template <class Key, int kVectorBytes>
[[nodiscard]] constexpr KernelSet<Key> kernels_of_width() {
  constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(Key));
  static_assert(kLanes <= static_cast<int>(kLanePadding));
  return {&dispatch_nearest<Key, kLanes>, &dispatch_lowest<Key, kLanes>,
          &dispatch_count<Key, kLanes>};
}

}  // namespace room_loops
}  // namespace cospot
