#include "tests/cpp/random_ratios.hpp"

#include <fmt/format.h>

#include <string>

#include "core/random.hpp"

namespace cospot {

double rounded_share(double share) { return std::stod(fmt::format("{:.15g}", share)); }

MadeRatios make_ratios(const RatiosRecipe& recipe) {
  Random random(recipe.seed);
  const auto draw = [&](std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most - least + 1)));
  };
  MadeRatios made;
  for (std::size_t i = 0; i < recipe.machine_types; ++i) {
    made.machine_types.push_back(draw(recipe.largest_vm, recipe.largest_machine));
  }
  for (std::size_t i = 0; i < recipe.vm_types; ++i) {
    made.vm_types.push_back(draw(1, recipe.largest_vm));
  }
  made.ratios.vm_types = recipe.vm_types;
  made.ratios.machine_types = recipe.machine_types;
  for (std::size_t type = 0; type < recipe.vm_types; ++type) {
    const std::size_t certain = random.below(recipe.machine_types);
    for (std::size_t machine = 0; machine < recipe.machine_types; ++machine) {
      if (machine != certain && random.uniform() >= recipe.density) continue;
      const double share = static_cast<double>(made.vm_types[type]) /
                           static_cast<double>(made.machine_types[machine]);
      made.ratios.equations.push_back({type, machine, rounded_share(share)});
    }
  }
  return made;
}

}  // namespace cospot
