#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/portable_math.hpp"

namespace cospot {

/// Pseudo-random numbers with the same draws for a seed on every machine and compiler (the
/// standard library leaves its distributions to the implementation). Not for secrets.
///
/// The generator is xoshiro256**: period 2^256 - 1, passes BigCrush. Its state is filled from the
/// seed by SplitMix64, so that neighbouring seeds give unrelated sequences.
///
/// Source: D. Blackman, S. Vigna, "Scrambled linear pseudorandom number generators", 2021.
class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) word = split_mix(seed);
  }

  /// 64 uniform random bits.
  [[nodiscard]] std::uint64_t next_u64() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// A multiple of 2^-53 in [0, 1), every one equally likely.
  [[nodiscard]] double uniform() { return static_cast<double>(next_u64() >> 11) * 0x1p-53; }

  /// A whole number in [0, n), every one equally likely; n >= 1.
  ///
  /// Source: D. Lemire, "Fast random integer generation in an interval", 2019.
  [[nodiscard]] std::uint64_t below(std::uint64_t n) {
    Wide product = Wide{next_u64()} * n;
    if (static_cast<std::uint64_t>(product) < n) {
      // 2^64 mod n of the low words would make some results one draw likelier: draw again.
      const std::uint64_t surplus = (0 - n) % n;
      while (static_cast<std::uint64_t>(product) < surplus) product = Wide{next_u64()} * n;
    }
    return static_cast<std::uint64_t>(product >> 64);
  }

  /// Normal with mean 0 and standard deviation 1, by Marsaglia's polar method. The second number
  /// each round could give is dropped, so that the state is nothing but the generator's.
  [[nodiscard]] double normal() {
    for (;;) {
      const double x = 2 * uniform() - 1;
      const double y = 2 * uniform() - 1;
      const double square = x * x + y * y;
      if (square < 1 && square > 0) return x * std::sqrt(-2 * portable_log(square) / square);
    }
  }

  /// Exponential with mean 1 / rate; rate > 0.
  [[nodiscard]] double exponential(double rate) {
    return -portable_log(1 - uniform()) / rate;  // 1 - uniform() is in (0, 1]
  }

 private:
  __extension__ using Wide = unsigned __int128;

  /// SplitMix64 (G. Steele, D. Lea, C. Flood, 2014): advances `state`, returns its scrambled value.
  [[nodiscard]] static std::uint64_t split_mix(std::uint64_t& state) {
    state += 0x9e3779b97f4a7c15;
    std::uint64_t mixed = state;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
  }

  std::array<std::uint64_t, 4> state_{};
};

}  // namespace cospot
