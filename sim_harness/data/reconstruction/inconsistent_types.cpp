#include "sim_harness/data/reconstruction/inconsistent_types.hpp"

#include <algorithm>
#include <optional>

#include "sim_harness/data/reconstruction/machine_scales.hpp"
#include "sim_harness/data/reconstruction/slack_program.hpp"

namespace cospot {
namespace {

using Equations = std::vector<std::span<const SizeRatio>>;

/// The first kept VM type that contradicts those before it.
std::optional<std::size_t> find_contradiction(const Equations& by_type, const Dropped& dropped,
                                              MachineScales& scales) {
  for (std::size_t type = 0; type < by_type.size(); ++type) {
    if (!dropped[type] && !scales.add(by_type[type])) return type;
  }
  return std::nullopt;
}

/// The VM type whose equation needs the largest slack; of equal ones the first. None when the
/// solver sees no slack.
std::optional<std::size_t> find_largest_slack(const SizeRatios& ratios, SlackProgram& program) {
  // Above what the solver's own tolerance (1e-7) can add up to.
  constexpr double kNoSlack = 1e-6;
  constexpr double kEqual = 1 - 1e-6;
  const std::vector<double> slacks = program.solve();
  const double largest = *std::ranges::max_element(slacks);
  if (largest <= kNoSlack) return std::nullopt;
  const auto first =
      std::ranges::find_if(slacks, [&](double slack) { return slack >= kEqual * largest; });
  return ratios.equations[static_cast<std::size_t>(first - slacks.begin())].vm_type;
}

Dropped find_with(const SizeRatios& ratios, SlackUnit unit, double tolerance) {
  const Equations by_type = equations_by_type(ratios);
  Dropped dropped(ratios.vm_types, false);
  std::optional<SlackProgram> program;
  for (;;) {
    MachineScales scales(ratios.machine_types, tolerance);
    const std::optional<std::size_t> contradiction = find_contradiction(by_type, dropped, scales);
    if (!contradiction) {
      for (std::size_t type = 0; type < by_type.size(); ++type) {
        if (dropped[type] && scales.add(by_type[type])) dropped[type] = false;
      }
      return dropped;
    }
    if (!program) program.emplace(ratios, unit);
    // A contradiction too small for the solver to see is resolved by the order of the types.
    const std::size_t worst = find_largest_slack(ratios, *program).value_or(*contradiction);
    dropped[worst] = true;
    program->drop(worst);
  }
}

}  // namespace

Dropped find_inconsistent_types(const SizeRatios& ratios, double tolerance) {
  Dropped by_size = find_with(ratios, SlackUnit::kSize, tolerance);
  const auto left_out = std::ranges::count(by_size, true);
  if (left_out == 0) return by_size;
  Dropped by_logarithm = find_with(ratios, SlackUnit::kLogarithm, tolerance);
  return std::ranges::count(by_logarithm, true) < left_out ? by_logarithm : by_size;
}

}  // namespace cospot
