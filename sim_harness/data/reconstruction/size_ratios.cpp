#include "sim_harness/data/reconstruction/size_ratios.hpp"

#include <algorithm>
#include <numeric>

namespace cospot {
namespace {

/// Machine types that some kept VM type runs on are in one set.
class MachineSets {
 public:
  explicit MachineSets(std::size_t machines) : parents_(machines) {
    std::iota(parents_.begin(), parents_.end(), std::size_t{0});
  }
  std::size_t find(std::size_t machine) {
    while (parents_[machine] != machine) {
      parents_[machine] = parents_[parents_[machine]];
      machine = parents_[machine];
    }
    return machine;
  }
  void join(std::size_t a, std::size_t b) { parents_[find(a)] = find(b); }

 private:
  std::vector<std::size_t> parents_;
};

}  // namespace

std::vector<RatioGroup> find_ratio_groups(const SizeRatios& ratios, const Dropped& dropped) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  MachineSets sets(ratios.machine_types);
  std::vector<std::size_t> a_machine(ratios.vm_types, kNone);
  std::vector<bool> used(ratios.machine_types, false);
  for (const SizeRatio& equation : ratios.equations) {
    if (dropped[equation.vm_type]) continue;
    used[equation.machine_type] = true;
    std::size_t& first = a_machine[equation.vm_type];
    if (first == kNone) first = equation.machine_type;
    sets.join(first, equation.machine_type);
  }
  std::vector<RatioGroup> groups(ratios.machine_types);
  for (std::size_t machine = 0; machine < ratios.machine_types; ++machine) {
    if (used[machine]) groups[sets.find(machine)].machine_types.push_back(machine);
  }
  for (std::size_t type = 0; type < ratios.vm_types; ++type) {
    if (a_machine[type] != kNone) groups[sets.find(a_machine[type])].vm_types.push_back(type);
  }
  std::erase_if(groups, [](const RatioGroup& group) { return group.machine_types.empty(); });
  std::ranges::sort(groups, [](const RatioGroup& a, const RatioGroup& b) {
    if (a.vm_types.size() != b.vm_types.size()) return a.vm_types.size() > b.vm_types.size();
    return a.machine_types < b.machine_types;
  });
  return groups;
}

}  // namespace cospot
