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
  double share = 0;              ///< in (0, 1]; a rounded decimal fraction
};

/// The equations of one resource. Those of one VM type are contiguous.
struct SizeRatios {
  std::size_t vm_types = 0;
  std::size_t machine_types = 0;
  std::vector<SizeRatio> equations;
};

/// VM types and machine types connected by equations.
struct RatioGroup {
  std::vector<std::size_t> vm_types;  ///< ascending, as are the machine types
  std::vector<std::size_t> machine_types;
};

/// The VM types to leave out, by index.
using Dropped = std::vector<bool>;

/// Splits the remaining types into groups that share no equation, the largest (most VM types)
/// first. Each group has its own scale, so sizes of two groups cannot be compared. Machine types
/// without an equation are in no group.
[[nodiscard]] std::vector<RatioGroup> find_ratio_groups(const SizeRatios& ratios,
                                                        const Dropped& dropped);

}  // namespace cospot
