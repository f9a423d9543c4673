#include "sim_harness/data/reconstruction/integer_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <span>

namespace cospot {
namespace {

// Every product and quotient of doubles adds up to half of this, relatively.
constexpr double kRounding = 0x1p-52;

/// A size relative to the first machine type of the group.
struct RelativeSize {
  double value = 0;  ///< 0: not known yet
  int steps = 0;     ///< equations from the first machine type to this one
};

/// The equations of a group with indexes into its lists.
struct LocalEquations {
  std::vector<SizeRatio> all;
  std::vector<std::vector<std::size_t>> of_type;
  std::vector<std::vector<std::size_t>> of_machine;
};

LocalEquations pick_equations(const SizeRatios& ratios, const RatioGroup& group) {
  LocalEquations local;
  local.of_type.resize(group.vm_types.size());
  local.of_machine.resize(group.machine_types.size());
  const auto find = [](const std::vector<std::size_t>& list, std::size_t value) {
    return static_cast<std::size_t>(std::ranges::lower_bound(list, value) - list.begin());
  };
  for (const SizeRatio& equation : ratios.equations) {
    const std::size_t type = find(group.vm_types, equation.vm_type);
    // Dropped types and those of other groups are not in the list.
    if (type == group.vm_types.size() || group.vm_types[type] != equation.vm_type) continue;
    const std::size_t machine = find(group.machine_types, equation.machine_type);
    local.of_type[type].push_back(local.all.size());
    local.of_machine[machine].push_back(local.all.size());
    local.all.push_back({.vm_type = type, .machine_type = machine, .share = equation.share});
  }
  return local;
}

/// Sizes of VM types, then of machine types, from the first machine type outward, breadth first.
std::vector<RelativeSize> measure(const LocalEquations& equations) {
  const std::size_t types = equations.of_type.size();
  std::vector<RelativeSize> sizes(types + equations.of_machine.size());
  std::deque<std::size_t> next{types};
  sizes[types] = {.value = 1, .steps = 0};
  while (!next.empty()) {
    const std::size_t from = next.front();
    next.pop_front();
    const bool from_type = from < types;
    for (const std::size_t i :
         from_type ? equations.of_type[from] : equations.of_machine[from - types]) {
      const SizeRatio& equation = equations.all[i];
      const std::size_t to = from_type ? types + equation.machine_type : equation.vm_type;
      if (sizes[to].value > 0) continue;
      const double value = sizes[from].value;
      sizes[to] = {.value = from_type ? value / equation.share : value * equation.share,
                   .steps = sizes[from].steps + 1};
      next.push_back(to);
    }
  }
  return sizes;
}

/// The whole numbers nearest to the sizes when `least` is `smallest`; false when one is not within
/// its tolerance, which grows with the number of equations between the two.
bool round_all(std::span<const RelativeSize> sizes, const RelativeSize& least, double smallest,
               double tolerance, std::vector<std::int64_t>& whole) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const double size = smallest * sizes[i].value / least.value;
    const double nearest = std::round(size);
    const int steps = sizes[i].steps + least.steps;
    if (std::abs(size - nearest) > tolerance * (steps + 1) * size) return false;
    whole[i] = static_cast<std::int64_t>(nearest);
  }
  return true;
}

bool satisfies(const LocalEquations& equations, std::span<const std::int64_t> whole,
               double tolerance) {
  return std::ranges::all_of(equations.all, [&](const SizeRatio& equation) {
    const auto size = static_cast<double>(whole[equation.vm_type]);
    const auto machine =
        static_cast<double>(whole[equations.of_type.size() + equation.machine_type]);
    return std::abs(size - equation.share * machine) <= tolerance * size;
  });
}

}  // namespace

std::optional<IntegerSizes> find_integer_sizes(const SizeRatios& ratios, const RatioGroup& group,
                                               double tolerance, std::int64_t most) {
  const LocalEquations equations = pick_equations(ratios, group);
  const std::vector<RelativeSize> sizes = measure(equations);
  const auto [least, largest] = std::ranges::minmax_element(sizes, {}, &RelativeSize::value);
  const int steps = std::ranges::max_element(sizes, {}, &RelativeSize::steps)->steps;
  const double allowed = tolerance + 4 * kRounding;
  std::vector<std::int64_t> whole(sizes.size());
  for (std::int64_t smallest = 1;; ++smallest) {
    const auto size = static_cast<double>(smallest);
    const double biggest = size * largest->value / least->value;
    // From half a unit on a size could be either of two whole numbers.
    const bool ambiguous = allowed * (2 * steps + 1) * biggest >= 0.5;
    if (biggest > static_cast<double>(most) + 0.5 || ambiguous) return std::nullopt;
    if (round_all(sizes, *least, size, allowed, whole) && satisfies(equations, whole, allowed)) {
      break;
    }
  }
  const auto machines = whole.begin() + static_cast<std::ptrdiff_t>(group.vm_types.size());
  return IntegerSizes{.vm_types = {whole.begin(), machines},
                      .machine_types = {machines, whole.end()}};
}

double whole_share_size(double share, double tolerance) {
  constexpr double kMost = 1e15;
  double before = 1;  // denominators of two neighbouring convergents
  double denominator = 0;
  double rest = share;
  for (;;) {
    const double next = std::floor(rest) * denominator + before;
    before = denominator;
    denominator = next;
    const double nearest = std::round(share * denominator);
    const bool exact = nearest > 0 && std::abs(nearest / denominator - share) <= tolerance * share;
    const double fraction = rest - std::floor(rest);
    if (exact || denominator > kMost || fraction <= 0) return denominator;
    rest = 1 / fraction;
  }
}

}  // namespace cospot
