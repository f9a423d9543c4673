#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "core/errors.hpp"
#include "sim_harness/data/reconstruction/inconsistent_types.hpp"
#include "sim_harness/data/reconstruction/machine_scales.hpp"
#include "sim_harness/data/reconstruction/slack_program.hpp"
#include "tests/cpp/random_ratios.hpp"

namespace cospot {
namespace {

bool skip_without_solver() {
  if (has_slack_solver()) return false;
  MESSAGE("built without CLP: skipped");
  return true;
}

TEST_CASE("MachineScales: learns ratios and refuses contradictions") {
  MachineScales scales(3, kTolerance);
  const std::vector<SizeRatio> twice{{0, 0, 0.5}, {0, 1, 0.25}};    // machine 1 = 2 x machine 0
  const std::vector<SizeRatio> thrice{{1, 1, 0.75}, {1, 2, 0.25}};  // machine 2 = 3 x machine 1
  const std::vector<SizeRatio> right{{2, 0, 0.6}, {2, 2, 0.1}};     // machine 2 = 6 x machine 0
  const std::vector<SizeRatio> wrong{{3, 0, 0.6}, {3, 2, 0.1000001}};
  CHECK(scales.add(twice));
  CHECK(scales.add(thrice));
  CHECK(scales.add(right));
  CHECK_FALSE(scales.add(wrong));
  CHECK(scales.add(right));
}

TEST_CASE("SlackProgram: the least sum of slacks, by hand") {
  if (skip_without_solver()) return;
  // Types 0 to 2 say that machine 1 is twice machine 0, type 3 that they are equal. With sizes of
  // at least 1 the best is 2 and 4: type 3 is then between 1 and 2, which takes 1 of slack. Equal
  // machines of 2 would take 0.5 for each of the others, 1.5 in all.
  SizeRatios ratios{.vm_types = 4, .machine_types = 2, .equations = {}};
  for (std::size_t type = 0; type < 3; ++type) {
    ratios.equations.push_back({type, 0, 0.5});
    ratios.equations.push_back({type, 1, 0.25});
  }
  ratios.equations.push_back({3, 0, 0.5});
  ratios.equations.push_back({3, 1, 0.5});
  SlackProgram program(ratios, SlackUnit::kSize);
  const std::vector<double> slacks = program.solve();
  CHECK(std::accumulate(slacks.begin(), slacks.begin() + 6, 0.0) ==
        doctest::Approx(0).epsilon(1e-6));
  CHECK(slacks[6] + slacks[7] == doctest::Approx(1));
  program.drop(3);
  const std::vector<double> none = program.solve();
  CHECK(std::reduce(none.begin(), none.end()) == doctest::Approx(0).epsilon(1e-6));
  CHECK(find_inconsistent_types(ratios, kTolerance) == Dropped{false, false, false, true});
}

TEST_CASE("SlackProgram: in logarithms every equation weighs the same") {
  if (skip_without_solver()) return;
  // Types 0 and 1 say that machine 1 is twice machine 0, type 2 that they are equal: it takes
  // log 2.
  const SizeRatios ratios{
      .vm_types = 3,
      .machine_types = 2,
      .equations = {{0, 0, 0.02}, {0, 1, 0.01}, {1, 0, 0.04}, {1, 1, 0.02}, {2, 0, 1}, {2, 1, 1}}};
  const std::vector<double> slacks = SlackProgram(ratios, SlackUnit::kLogarithm).solve();
  CHECK(std::accumulate(slacks.begin(), slacks.begin() + 4, 0.0) ==
        doctest::Approx(0).epsilon(1e-6));
  CHECK(slacks[4] + slacks[5] == doctest::Approx(std::log(2)));
  CHECK(find_inconsistent_types(ratios, kTolerance) == Dropped{false, false, true});
}

TEST_CASE("find_inconsistent_types: leaves nothing out of a consistent instance") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const MadeRatios made = make_ratios({.vm_types = 60,
                                         .machine_types = 8,
                                         .largest_vm = 64,
                                         .largest_machine = 400,
                                         .density = 0.4,
                                         .seed = seed});
    CHECK(find_inconsistent_types(made.ratios, kTolerance) == Dropped(60, false));
  }
}

TEST_CASE("find_inconsistent_types: leaves out just what was planted") {
  if (skip_without_solver()) return;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    MadeRatios made = make_ratios({.vm_types = 60,
                                   .machine_types = 8,
                                   .largest_vm = 64,
                                   .largest_machine = 400,
                                   .density = 0.7,
                                   .seed = seed});
    // Like the published trace's bare-metal type (all of every machine), and types whose size
    // differs on one machine type.
    Dropped planted(60, false);
    for (const std::size_t type : {3U, 17U, 42U}) {
      std::size_t changed = 0;
      for (SizeRatio& equation : made.ratios.equations) {
        if (equation.vm_type != type) continue;
        if (type == 3) {
          equation.share = 1;
        } else if (changed == 1) {
          equation.share = rounded_share(equation.share * 0.8);
        }
        ++changed;
      }
      planted[type] = changed > 1;
    }
    CHECK(find_inconsistent_types(made.ratios, kTolerance) == planted);
  }
}

TEST_CASE("find_inconsistent_types: a contradiction too small for the solver is resolved too") {
  if (skip_without_solver()) return;
  const SizeRatios ratios{
      .vm_types = 2,
      .machine_types = 2,
      .equations = {{0, 0, 0.5}, {0, 1, 0.25}, {1, 0, 0.5}, {1, 1, 0.250000002}}};
  CHECK(find_inconsistent_types(ratios, 1e-10) == Dropped{false, true});
  CHECK(find_inconsistent_types(ratios, 1e-8) == Dropped{false, false});
}

}  // namespace
}  // namespace cospot
