#pragma once

#include <cstdint>
#include <vector>

#include "sim_harness/data/reconstruction/size_ratios.hpp"

namespace cospot {

/// How far a share may be from what its sizes give: rounding only.
inline constexpr double kTolerance = 1e-9;

/// Sizes and the equations that follow from them, their shares rounded to 15 digits as in the
/// published trace.
struct MadeRatios {
  std::vector<std::int64_t> vm_types;
  std::vector<std::int64_t> machine_types;
  SizeRatios ratios;
};

/// How to make one up: every VM type runs on at least one machine type.
struct RatiosRecipe {
  std::size_t vm_types = 4;
  std::size_t machine_types = 3;
  std::int64_t largest_vm = 6;
  std::int64_t largest_machine = 24;  ///< at least largest_vm
  double density = 0.6;               ///< probability of an equation between two types
  std::uint64_t seed = 1;
};

[[nodiscard]] MadeRatios make_ratios(const RatiosRecipe& recipe);

/// A share as the trace prints it.
[[nodiscard]] double rounded_share(double share);

}  // namespace cospot
