#pragma once

#include <cstdint>
#include <span>

namespace cospot {

/// Spots that were promised a lifetime, and those of them that were evicted before.
struct PromiseCount {
  std::uint64_t promised = 0;
  std::uint64_t broken = 0;  ///< at most promised

  PromiseCount& operator+=(const PromiseCount& other) {
    promised += other.promised;
    broken += other.broken;
    return *this;
  }
};

/// The range in which a probability lies with some confidence.
struct ProbabilityInterval {
  double lower = 0;
  double upper = 1;
};

/// The eviction probability behind a count, by Clopper and Pearson (exact, and so never too
/// narrow for independent evictions). Evictions that come together make the truth less sure than
/// this says. Nothing promised: from 0 to 1.
[[nodiscard]] ProbabilityInterval eviction_interval(const PromiseCount& count,
                                                    double confidence = 0.95);

/// The same of promises counted by the time at which they were given, one count a block of time. If
/// the shares of the blocks differ more than those of independent evictions would, because
/// evictions came in bursts, the counts are divided by as much (the design effect), and by the
/// square of Student's t over the normal quantile, because a few blocks say little about it.
///
/// Source: Rao and Scott, "A simple method for the analysis of clustered binary data", Biometrics
/// 48 (1992), section 2; Korn and Graubard, "Confidence intervals for proportions with small
/// expected number of positive counts estimated from survey data", Survey Methodology 24 (1998).
[[nodiscard]] ProbabilityInterval eviction_interval(std::span<const PromiseCount> blocks,
                                                    double confidence = 0.95);
[[nodiscard]] PromiseCount sum_of(std::span<const PromiseCount> blocks);

/// The verdict of a count on a promise.
enum class PromiseVerdict : std::uint8_t {
  kKept,     ///< the whole interval is at most the target
  kUnclear,  ///< the target lies within it
  kBroken,   ///< the whole interval is above the target
};

[[nodiscard]] PromiseVerdict verdict_of(const ProbabilityInterval& interval, double target);
[[nodiscard]] PromiseVerdict verdict_of(const PromiseCount& count, double target,
                                        double confidence = 0.95);

}  // namespace cospot
