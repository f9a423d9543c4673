#pragma once

#include <span>
#include <vector>

#include "sim_harness/data/reconstruction/size_ratios.hpp"

namespace cospot {

/// The relative sizes of machine types, learned one VM type at a time. Decides whether a set of VM
/// types needs no slack, independently of any solver's tolerances.
class MachineScales {
 public:
  /// Shares count as equal within the relative `tolerance` times the number of equations that a
  /// comparison passes through.
  MachineScales(std::size_t machine_types, double tolerance);

  /// Adds all equations of one VM type. If they contradict earlier ones, returns false and adds
  /// nothing.
  [[nodiscard]] bool add(std::span<const SizeRatio> equations);

 private:
  /// A machine type's size in terms of another's.
  struct Link {
    std::size_t machine = 0;
    double factor = 1;  ///< size = factor x size of `machine`
    int steps = 0;      ///< equations multiplied to obtain it
  };
  [[nodiscard]] Link find_root(std::size_t machine) const;

  std::vector<Link> links_;  ///< a root links to itself
  double tolerance_;
};

/// The equations of each VM type; empty for a type without any.
[[nodiscard]] std::vector<std::span<const SizeRatio>> equations_by_type(const SizeRatios& ratios);

}  // namespace cospot
