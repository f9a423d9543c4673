#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim_harness/data/reconstruction/size_ratios.hpp"

namespace cospot {

/// The unit of slack.
enum class SlackUnit : std::uint8_t {
  /// size of the VM type = share x size of the machine type + slack, every size at least 1. This is
  /// CoSpot's program. Large VM types have more weight than small ones.
  kSize,
  /// log(size of the VM type) = log(share) + log(size of the machine type) + slack: the relative
  /// error. All equations have the same weight.
  kLogarithm,
};

/// The program with slack: minimises the sum of the absolute slacks.
///
/// Sizes may be fractional here. That does not change whether slack is needed: the equations are
/// homogeneous with rational shares, so a real solution without slack can be scaled to an integer
/// one.
///
/// Source: CoSpot, section 4.2. Solved by CLP (COIN-OR); one version of CLP always gives the same
/// solution.
class SlackProgram {
 public:
  /// Errors: ConfigError if cospot was built without CLP.
  SlackProgram(const SizeRatios& ratios, SlackUnit unit);
  SlackProgram(const SlackProgram&) = delete;
  SlackProgram& operator=(const SlackProgram&) = delete;
  ~SlackProgram();

  /// Removes the equations of a VM type. The next solve starts from the last solution.
  void drop(std::size_t vm_type);

  /// The absolute slack of each equation, in the order of SizeRatios; 0 for removed ones.
  [[nodiscard]] std::vector<double> solve();

 private:
  struct Model;
  std::unique_ptr<Model> model_;
};

/// Tells whether cospot was built with the solver.
[[nodiscard]] bool has_slack_solver();

}  // namespace cospot
