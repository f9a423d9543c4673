#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim_harness/data/reconstruction/size_ratios.hpp"

namespace cospot {

/// The sizes of a group in whole numbers, in the order of its lists.
struct IntegerSizes {
  std::vector<std::int64_t> vm_types;
  std::vector<std::int64_t> machine_types;
};

/// Solves the integer program of one group without slack: sizes of at least 1 that satisfy every
/// equation within the relative `tolerance`, with the least sum of machine sizes, then of VM sizes.
///
/// The equations of a group leave one degree of freedom, its scale. So this tries 1, 2, 3, ... for
/// the smallest size; every other size can then be only one whole number, as long as the tolerance
/// is fine enough for the size of the numbers. The first solution is the optimum, because all sizes
/// grow together.
///
/// Empty if there is no solution up to `most`, or the tolerance cannot distinguish it from its
/// neighbours.
[[nodiscard]] std::optional<IntegerSizes> find_integer_sizes(const SizeRatios& ratios,
                                                             const RatioGroup& group,
                                                             double tolerance, std::int64_t most);

/// The least (or nearly the least) whole size of a machine type for which `share` of it is whole
/// within the relative `tolerance`: the first denominator of the continued fraction that is exact
/// enough.
[[nodiscard]] double whole_share_size(double share, double tolerance);

}  // namespace cospot
