#pragma once

// A few host rows side by side: the vector operations that the loops of core/ranking/room_loops.hpp
// need, for each instruction set that the including file is compiled for.

#include <cstdint>

#include "core/model/host_table.hpp"
#include "core/ranking/kernel_set.hpp"

#if defined(__AVX512F__) || defined(__AVX2__)
#include <immintrin.h>
#endif

namespace cospot::room_loops {

/// Rows side by side, with
///   kCount                          how many
///   Keys, Amounts, Mask             their keys, their amounts of one resource, a set of them
///   all_keys(k), all_amounts(a)     the same value in every row
///   load(p)                         the keys at p
///   above(a, b), at_least(a, b)     the rows where a > b, a >= b
///   above_in(m, a, b)               the rows of m where a > b
///   both(m, n), but_not(m, n)       the rows in m and n, in m but not in n
///   has_room(p, need)               the rows whose amount at p is at least `need`
///   has_room_in(m, p, need)         those of m
///   pick(m, a, b)                   a in the rows of m, b in the others
///   bits(m)                         one bit for each row, the first the lowest
///   Rows                            their row numbers, with
///   first_rows(r)                   those of the rows from r on
///   pick_rows(m, a, b)              as pick
///   largest(k), smallest(k)         over all rows
///   equal(a, b)                     the rows where a = b
///   store_rows(p, r)                write the row numbers out
template <class Key, InstructionSet kSet>
struct Lanes;

/// One row at a time: for processors without a faster way.
template <class Key>
struct Lanes<Key, InstructionSet::kPortable> {
  static constexpr int kCount = 1;
  using Keys = Key;
  using Amounts = ResourceAmount;
  using Mask = bool;

  static Keys all_keys(Key key) { return key; }
  static Amounts all_amounts(ResourceAmount amount) { return amount; }
  static Keys load(const Key* from) { return *from; }
  static Mask above(Keys a, Keys b) { return a > b; }
  static Mask at_least(Keys a, Keys b) { return a >= b; }
  static Mask above_in(Mask mask, Keys a, Keys b) { return both(mask, above(a, b)); }
  static Mask both(Mask a, Mask b) { return a && b; }
  static Mask but_not(Mask a, Mask b) { return a && !b; }
  static Mask has_room(const ResourceAmount* room, Amounts need) { return *room >= need; }
  static Mask has_room_in(Mask mask, const ResourceAmount* room, Amounts need) {
    return both(mask, has_room(room, need));
  }
  static Keys pick(Mask mask, Keys a, Keys b) { return mask ? a : b; }
  static std::uint32_t bits(Mask mask) { return mask ? 1 : 0; }

  using Rows = std::uint32_t;
  static Rows first_rows(std::size_t row) { return static_cast<std::uint32_t>(row); }
  static Rows pick_rows(Mask mask, Rows a, Rows b) { return mask ? a : b; }
  static Key largest(Keys keys) { return keys; }
  static Key smallest(Keys keys) { return keys; }
  static Mask equal(Keys a, Keys b) { return a == b; }
  static void store_rows(std::uint32_t* to, Rows rows) { *to = rows; }
};

#if defined(__AVX2__)
template <>
struct Lanes<std::int32_t, InstructionSet::kAvx2> {
  static constexpr int kCount = 8;
  using Keys = __m256i;
  using Amounts = __m256i;
  using Mask = __m256i;

  static Keys all_keys(std::int32_t key) { return _mm256_set1_epi32(key); }
  static Amounts all_amounts(ResourceAmount amount) { return _mm256_set1_epi32(amount); }
  static Keys load(const std::int32_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static Mask above(Keys a, Keys b) { return _mm256_cmpgt_epi32(a, b); }
  static Mask at_least(Keys a, Keys b) { return _mm256_cmpeq_epi32(_mm256_max_epi32(a, b), a); }
  static Mask above_in(Mask mask, Keys a, Keys b) { return both(mask, above(a, b)); }
  static Mask both(Mask a, Mask b) { return _mm256_and_si256(a, b); }
  static Mask but_not(Mask a, Mask b) { return _mm256_andnot_si256(b, a); }
  static Mask has_room(const ResourceAmount* room, Amounts need) {
    return at_least(load(room), need);
  }
  static Mask has_room_in(Mask mask, const ResourceAmount* room, Amounts need) {
    return _mm256_andnot_si256(above(need, load(room)), mask);
  }
  static Keys pick(Mask mask, Keys a, Keys b) { return _mm256_blendv_epi8(b, a, mask); }
  static std::uint32_t bits(Mask mask) {
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(mask)));
  }

  using Rows = __m256i;
  static Rows first_rows(std::size_t row) {
    return _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(row)),
                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static Rows pick_rows(Mask mask, Rows a, Rows b) { return _mm256_blendv_epi8(b, a, mask); }
  static std::int32_t largest(Keys keys) {
    __m128i half = _mm_max_epi32(_mm256_castsi256_si128(keys), _mm256_extracti128_si256(keys, 1));
    half = _mm_max_epi32(half, _mm_shuffle_epi32(half, 0x4e));
    half = _mm_max_epi32(half, _mm_shuffle_epi32(half, 0xb1));
    return _mm_cvtsi128_si32(half);
  }
  static std::int32_t smallest(Keys keys) {
    // Minus x minus 1 turns the order around without overflow.
    return ~largest(_mm256_xor_si256(keys, _mm256_set1_epi32(-1)));
  }
  static Mask equal(Keys a, Keys b) { return _mm256_cmpeq_epi32(a, b); }
  static void store_rows(std::uint32_t* to, Rows rows) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), rows);
  }
};

template <>
struct Lanes<double, InstructionSet::kAvx2> {
  static constexpr int kCount = 4;
  using Keys = __m256d;
  using Amounts = __m128i;
  using Mask = __m256d;

  static Keys all_keys(double key) { return _mm256_set1_pd(key); }
  static Amounts all_amounts(ResourceAmount amount) { return _mm_set1_epi32(amount); }
  static Keys load(const double* from) { return _mm256_loadu_pd(from); }
  static Mask above(Keys a, Keys b) { return _mm256_cmp_pd(a, b, _CMP_GT_OQ); }
  static Mask at_least(Keys a, Keys b) { return _mm256_cmp_pd(a, b, _CMP_GE_OQ); }
  static Mask above_in(Mask mask, Keys a, Keys b) { return both(mask, above(a, b)); }
  static Mask both(Mask a, Mask b) { return _mm256_and_pd(a, b); }
  static Mask but_not(Mask a, Mask b) { return _mm256_andnot_pd(b, a); }
  static Mask has_room(const ResourceAmount* room, Amounts need) {
    const __m128i amounts = _mm_loadu_si128(reinterpret_cast<const __m128i*>(room));
    const __m128i fits = _mm_cmpeq_epi32(_mm_max_epi32(amounts, need), amounts);
    return _mm256_castsi256_pd(_mm256_cvtepi32_epi64(fits));
  }
  static Mask has_room_in(Mask mask, const ResourceAmount* room, Amounts need) {
    return both(mask, has_room(room, need));
  }
  static Keys pick(Mask mask, Keys a, Keys b) { return _mm256_blendv_pd(b, a, mask); }
  static std::uint32_t bits(Mask mask) {
    return static_cast<std::uint32_t>(_mm256_movemask_pd(mask));
  }

  using Rows = __m256i;  // 64 bits each, as wide as a key
  static Rows first_rows(std::size_t row) {
    return _mm256_add_epi64(_mm256_set1_epi64x(static_cast<std::int64_t>(row)),
                            _mm256_setr_epi64x(0, 1, 2, 3));
  }
  static Rows pick_rows(Mask mask, Rows a, Rows b) {
    return _mm256_blendv_epi8(b, a, _mm256_castpd_si256(mask));
  }
  static double largest(Keys keys) {
    __m128d half = _mm_max_pd(_mm256_castpd256_pd128(keys), _mm256_extractf128_pd(keys, 1));
    half = _mm_max_sd(half, _mm_unpackhi_pd(half, half));
    return _mm_cvtsd_f64(half);
  }
  static double smallest(Keys keys) { return -largest(_mm256_sub_pd(_mm256_setzero_pd(), keys)); }
  static Mask equal(Keys a, Keys b) { return _mm256_cmp_pd(a, b, _CMP_EQ_OQ); }
  static void store_rows(std::uint32_t* to, Rows rows) {
    std::int64_t wide[kCount];
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(wide), rows);
    for (int i = 0; i < kCount; ++i) to[i] = static_cast<std::uint32_t>(wide[i]);
  }
};
#endif

#if defined(__AVX512F__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
template <>
struct Lanes<std::int32_t, InstructionSet::kAvx512> {
  static constexpr int kCount = 16;
  using Keys = __m512i;
  using Amounts = __m512i;
  using Mask = __mmask16;

  static Keys all_keys(std::int32_t key) { return _mm512_set1_epi32(key); }
  static Amounts all_amounts(ResourceAmount amount) { return _mm512_set1_epi32(amount); }
  static Keys load(const std::int32_t* from) { return _mm512_loadu_si512(from); }
  static Mask above(Keys a, Keys b) { return _mm512_cmpgt_epi32_mask(a, b); }
  static Mask at_least(Keys a, Keys b) { return _mm512_cmpge_epi32_mask(a, b); }
  static Mask above_in(Mask mask, Keys a, Keys b) {
    return _mm512_mask_cmpgt_epi32_mask(mask, a, b);
  }
  static Mask both(Mask a, Mask b) { return _kand_mask16(a, b); }
  static Mask but_not(Mask a, Mask b) { return _kandn_mask16(b, a); }
  static Mask has_room(const ResourceAmount* room, Amounts need) {
    return _mm512_cmpge_epi32_mask(_mm512_loadu_si512(room), need);
  }
  static Mask has_room_in(Mask mask, const ResourceAmount* room, Amounts need) {
    return _mm512_mask_cmpge_epi32_mask(mask, _mm512_loadu_si512(room), need);
  }
  static Keys pick(Mask mask, Keys a, Keys b) { return _mm512_mask_mov_epi32(b, mask, a); }
  static std::uint32_t bits(Mask mask) { return mask; }

  using Rows = __m512i;
  static Rows first_rows(std::size_t row) {
    return _mm512_add_epi32(
        _mm512_set1_epi32(static_cast<int>(row)),
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  }
  static Rows pick_rows(Mask mask, Rows a, Rows b) { return _mm512_mask_mov_epi32(b, mask, a); }
  static std::int32_t largest(Keys keys) { return _mm512_reduce_max_epi32(keys); }
  static std::int32_t smallest(Keys keys) { return _mm512_reduce_min_epi32(keys); }
  static Mask equal(Keys a, Keys b) { return _mm512_cmpeq_epi32_mask(a, b); }
  static void store_rows(std::uint32_t* to, Rows rows) { _mm512_storeu_si512(to, rows); }
};

template <>
struct Lanes<double, InstructionSet::kAvx512> {
  static constexpr int kCount = 8;
  using Keys = __m512d;
  using Amounts = __m256i;
  using Mask = __mmask8;

  static Keys all_keys(double key) { return _mm512_set1_pd(key); }
  static Amounts all_amounts(ResourceAmount amount) { return _mm256_set1_epi32(amount); }
  static Keys load(const double* from) { return _mm512_loadu_pd(from); }
  static Mask above(Keys a, Keys b) { return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ); }
  static Mask at_least(Keys a, Keys b) { return _mm512_cmp_pd_mask(a, b, _CMP_GE_OQ); }
  static Mask above_in(Mask mask, Keys a, Keys b) {
    return _mm512_mask_cmp_pd_mask(mask, a, b, _CMP_GT_OQ);
  }
  static Mask both(Mask a, Mask b) { return _kand_mask8(a, b); }
  static Mask but_not(Mask a, Mask b) { return _kandn_mask8(b, a); }
  static Mask has_room(const ResourceAmount* room, Amounts need) {
    return _mm256_cmpge_epi32_mask(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(room)),
                                   need);
  }
  static Mask has_room_in(Mask mask, const ResourceAmount* room, Amounts need) {
    return _mm256_mask_cmpge_epi32_mask(
        mask, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(room)), need);
  }
  static Keys pick(Mask mask, Keys a, Keys b) { return _mm512_mask_mov_pd(b, mask, a); }
  static std::uint32_t bits(Mask mask) { return mask; }

  using Rows = __m256i;
  static Rows first_rows(std::size_t row) {
    return _mm256_add_epi32(_mm256_set1_epi32(static_cast<int>(row)),
                            _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static Rows pick_rows(Mask mask, Rows a, Rows b) { return _mm256_mask_mov_epi32(b, mask, a); }
  static double largest(Keys keys) { return _mm512_reduce_max_pd(keys); }
  static double smallest(Keys keys) { return _mm512_reduce_min_pd(keys); }
  static Mask equal(Keys a, Keys b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
  static void store_rows(std::uint32_t* to, Rows rows) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), rows);
  }
};
#endif

}  // namespace cospot::room_loops
