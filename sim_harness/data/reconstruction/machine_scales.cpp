#include "sim_harness/data/reconstruction/machine_scales.hpp"

#include <cmath>

namespace cospot {

MachineScales::MachineScales(std::size_t machine_types, double tolerance)
    : links_(machine_types), tolerance_(tolerance) {
  for (std::size_t machine = 0; machine < machine_types; ++machine)
    links_[machine].machine = machine;
}

MachineScales::Link MachineScales::find_root(std::size_t machine) const {
  Link path{.machine = machine};
  while (links_[path.machine].machine != path.machine) {
    const Link& link = links_[path.machine];
    path = {.machine = link.machine,
            .factor = path.factor * link.factor,
            .steps = path.steps + link.steps};
  }
  return path;
}

bool MachineScales::add(std::span<const SizeRatio> equations) {
  // The VM type's size in terms of each root that it reaches, by the first equation to reach it.
  std::vector<Link> sizes;
  for (const SizeRatio& equation : equations) {
    Link size = find_root(equation.machine_type);
    size.factor *= equation.share;
    ++size.steps;
    bool is_new = true;
    for (const Link& known : sizes) {
      if (known.machine != size.machine) continue;
      is_new = false;
      const double allowed = tolerance_ * (known.steps + size.steps);
      if (std::abs(size.factor / known.factor - 1) > allowed) return false;
    }
    if (is_new) sizes.push_back(size);
  }
  for (std::size_t i = 1; i < sizes.size(); ++i) {
    links_[sizes[i].machine] = {.machine = sizes[0].machine,
                                .factor = sizes[0].factor / sizes[i].factor,
                                .steps = sizes[0].steps + sizes[i].steps};
  }
  return true;
}

std::vector<std::span<const SizeRatio>> equations_by_type(const SizeRatios& ratios) {
  std::vector<std::span<const SizeRatio>> by_type(ratios.vm_types);
  const std::span<const SizeRatio> all(ratios.equations);
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin + 1;
    while (end < all.size() && all[end].vm_type == all[begin].vm_type) ++end;
    by_type[all[begin].vm_type] = all.subspan(begin, end - begin);
    begin = end;
  }
  return by_type;
}

}  // namespace cospot
