#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim_harness/data/reconstruction/size_ratios.hpp"

namespace cospot {

/// What slack is measured in.
enum class SlackUnit : std::uint8_t {
  /// size of the VM type = share x size of the machine type + slack, every size at least 1. This is
  /// CoSpot's program. Large VM types weigh more than small ones.
  kSize,
  /// log(size of the VM type) = log(share) + log(size of the machine type) + slack: the relative
  /// error. Every equation weighs the same.
  kLogarithm,
};

/// The program with slack: the sum of the absolute slacks is least.
///
/// Sizes may be fractions here. That does not change whether slack is needed: the equations are
/// homogeneous with rational shares, so a solution without slack in real numbers can be scaled to
/// one in whole numbers.
///
/// Source: CoSpot, section 4.2. Solved by CLP (COIN-OR); a solution is the same for every run with
/// one version of it.
class SlackProgram {
 public:
  /// Errors: ConfigError when cospot was built without CLP.
  SlackProgram(const SizeRatios& ratios, SlackUnit unit);
  SlackProgram(const SlackProgram&) = delete;
  SlackProgram& operator=(const SlackProgram&) = delete;
  ~SlackProgram();

  /// Takes the equations of a VM type out. Solving again starts at the last solution.
  void drop(std::size_t vm_type);

  /// The absolute slack of each equation, in the order of SizeRatios; 0 for those taken out.
  [[nodiscard]] std::vector<double> solve();

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

/// Tells whether cospot was built with the solver.
[[nodiscard]] bool has_slack_solver();

}  // namespace cospot
