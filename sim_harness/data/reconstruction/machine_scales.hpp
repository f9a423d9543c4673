#pragma once

#include <span>
#include <vector>

#include "sim_harness/data/reconstruction/size_ratios.hpp"

namespace cospot {

/// How large machine types are compared with each other, learned one VM type at a time. It decides
/// whether a set of VM types needs no slack, independently of any solver's tolerances.
class MachineScales {
 public:
  /// Shares are taken as equal within the relative `tolerance`, times the number of equations that
  /// a comparison goes through.
  MachineScales(std::size_t machine_types, double tolerance);

  /// Learns from all equations of one VM type, or returns false and learns nothing when they
  /// contradict what is known.
  [[nodiscard]] bool add(std::span<const SizeRatio> equations);

 private:
  /// A machine type's size in terms of another's.
  struct Link {
    std::size_t machine = 0;
    double factor = 1;  ///< size = factor x size of `machine`
    int steps = 0;      ///< equations that were multiplied to get it
  };
  [[nodiscard]] Link find_root(std::size_t machine) const;

  std::vector<Link> links_;  ///< of a root: to itself
  double tolerance_;
};

/// The equations of each VM type; empty for a type without any.
[[nodiscard]] std::vector<std::span<const SizeRatio>> equations_by_type(const SizeRatios& ratios);

}  // namespace cospot
