#pragma once

#include <cstdint>

namespace cospot {

/// Spots that were promised a lifetime, and those of them that were evicted before.
struct PromiseCount {
  std::uint64_t promised = 0;
  std::uint64_t broken = 0;  ///< at most promised
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

/// What a count says of a promise.
enum class PromiseVerdict : std::uint8_t {
  kKept,     ///< the whole interval is at most the target
  kUnclear,  ///< the target lies within it
  kBroken,   ///< the whole interval is above the target
};

[[nodiscard]] PromiseVerdict verdict_of(const PromiseCount& count, double target,
                                        double confidence = 0.95);

}  // namespace cospot
