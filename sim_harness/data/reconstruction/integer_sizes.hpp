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
/// equation within the relative `tolerance`, the least sum of machine sizes, then of VM sizes.
///
/// The equations of a group leave one degree of freedom, its scale. So this tries 1, 2, 3, ... for
/// the smallest size; every other size can then be one whole number only, as long as the tolerance
/// is finer than the numbers are large. The first that satisfies all equations is the optimum,
/// because all sizes grow together.
///
/// Empty: there is none up to `most`, or none that the tolerance can tell from its neighbours.
[[nodiscard]] std::optional<IntegerSizes> find_integer_sizes(const SizeRatios& ratios,
                                                             const RatioGroup& group,
                                                             double tolerance, std::int64_t most);

/// The least whole size of a machine type of which `share` is a whole number within the relative
/// `tolerance`, or nearly the least: a continued fraction's first denominator that is exact enough.
[[nodiscard]] double whole_share_size(double share, double tolerance);

}  // namespace cospot
