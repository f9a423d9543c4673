#pragma once

#include <cstddef>

namespace cospot {

// The axes of the study `deadline`, slowest first.
enum DeadlineAxis : std::size_t {
  kTraceAxis,
  kStrategyAxis,
  kDurationAxis,
  kDeadlineAxis,
  kOverheadAxis,
  kStartAxis,
  kSpotPriceAxis,
  kOnDemandPriceAxis
};

}  // namespace cospot
