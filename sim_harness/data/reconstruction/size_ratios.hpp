#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cospot {

/// One equation of the integer program for one resource:
/// size of the VM type = share x size of the machine type.
struct SizeRatio {
  std::size_t vm_type = 0;       ///< index, below SizeRatios::vm_types
  std::size_t machine_type = 0;  ///< index, below SizeRatios::machine_types
  double share = 0;              ///< more than 0, at most 1; a decimal fraction that was rounded
};

/// The equations of one resource. Those of one VM type are neighbours.
struct SizeRatios {
  std::size_t vm_types = 0;
  std::size_t machine_types = 0;
  std::vector<SizeRatio> equations;
};

/// VM types and machine types that equations connect.
struct RatioGroup {
  std::vector<std::size_t> vm_types;  ///< ascending, as are the machine types
  std::vector<std::size_t> machine_types;
};

/// Which VM types are left out; by index.
using Dropped = std::vector<bool>;

/// Splits what is not dropped into groups that share no equation, the largest (most VM types)
/// first. Sizes of two groups cannot be compared: each has a scale of its own. Machine types
/// without an equation are in no group.
[[nodiscard]] std::vector<RatioGroup> find_ratio_groups(const SizeRatios& ratios,
                                                        const Dropped& dropped);

}  // namespace cospot
