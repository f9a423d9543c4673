#include "sim_harness/data/reconstruction/recovered_sizes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "core/errors.hpp"
#include "core/model/resource_vector.hpp"
#include "sim_harness/data/reconstruction/inconsistent_types.hpp"
#include "sim_harness/data/reconstruction/integer_sizes.hpp"
#include "sim_harness/data/reconstruction/size_ratios.hpp"

namespace cospot {
namespace {

/// One of the two integer programs, and where its solution goes.
struct Program {
  std::string_view resource;  ///< as in the options --host-...
  SizeRatios ratios{};
  Dropped inconsistent{};
  std::int64_t RecoveredSize::*size;
  bool RecoveredSize::*is_inconsistent;
  const std::map<std::int64_t, std::int64_t>* known_totals;
};

std::size_t find_id(const std::vector<RecoveredSize>& sizes, std::int64_t id) {
  return static_cast<std::size_t>(std::ranges::lower_bound(sizes, id, {}, &RecoveredSize::id) -
                                  sizes.begin());
}

/// The machine types in use, by id, each once.
std::vector<std::int64_t> choose_machines(const std::vector<TypeShare>& shares,
                                          const RecoveryOptions& options) {
  std::vector<std::int64_t> all;
  for (const TypeShare& share : shares) all.push_back(share.machine_type);
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::vector<std::int64_t> chosen = options.machine_types;
  if (chosen.empty()) return all;
  std::ranges::sort(chosen);
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  for (const std::int64_t machine : chosen) {
    if (std::ranges::binary_search(all, machine)) continue;
    throw ConfigError(fmt::format("--machines: the trace has no machine type {}, valid ones: {}",
                                  machine, fmt::join(all, ", ")));
  }
  return chosen;
}

RecoveredSizes list_types(const std::vector<TypeShare>& shares,
                          const std::map<std::int64_t, std::uint64_t>& requests,
                          const RecoveryOptions& options) {
  RecoveredSizes sizes;
  for (const std::int64_t machine : choose_machines(shares, options)) {
    sizes.machine_types.push_back({.id = machine});
  }
  for (const auto& [type, count] : requests) {
    sizes.vm_types.push_back({.id = type, .requests = count});
  }
  return sizes;
}

/// The equations of both resources; marks VM types without any.
void write_equations(const std::vector<TypeShare>& shares, RecoveredSizes& sizes,
                     std::array<Program, 2>& programs) {
  std::vector<bool> has_equation(sizes.vm_types.size(), false);
  for (Program& program : programs) {
    program.ratios.vm_types = sizes.vm_types.size();
    program.ratios.machine_types = sizes.machine_types.size();
  }
  for (const TypeShare& share : shares) {
    const std::size_t type = find_id(sizes.vm_types, share.vm_type);
    const std::size_t machine = find_id(sizes.machine_types, share.machine_type);
    if (type == sizes.vm_types.size() || sizes.vm_types[type].id != share.vm_type) continue;
    if (machine == sizes.machine_types.size() ||
        sizes.machine_types[machine].id != share.machine_type) {
      continue;
    }
    has_equation[type] = true;
    programs[0].ratios.equations.push_back({type, machine, share.cores});
    programs[1].ratios.equations.push_back({type, machine, share.memory});
  }
  for (std::size_t type = 0; type < has_equation.size(); ++type) {
    if (!has_equation[type]) sizes.vm_types[type].recovery = Recovery::kNoMachineType;
  }
}

/// Marks the VM types that either program needs slack for; returns what both leave out.
Dropped drop_inconsistent(RecoveredSizes& sizes, std::array<Program, 2>& programs,
                          double tolerance) {
  Dropped dropped(sizes.vm_types.size(), false);
  for (Program& program : programs) {
    program.inconsistent = find_inconsistent_types(program.ratios, tolerance);
    for (std::size_t type = 0; type < dropped.size(); ++type) {
      if (!program.inconsistent[type]) continue;
      dropped[type] = true;
      sizes.vm_types[type].*program.is_inconsistent = true;
      sizes.vm_types[type].recovery = Recovery::kInconsistent;
    }
  }
  return dropped;
}

[[noreturn]] void fail_without_sizes(const RecoveredSizes& sizes, const RatioGroup& group,
                                     const Program& program, double tolerance) {
  const SizeRatio* worst = nullptr;
  double largest = 0;
  for (const SizeRatio& equation : program.ratios.equations) {
    if (!std::ranges::binary_search(group.vm_types, equation.vm_type)) continue;
    const double size = whole_share_size(equation.share, tolerance);
    if (size > largest) {
      largest = size;
      worst = &equation;
    }
  }
  throw ConfigError(fmt::format(
      "no whole {} sizes up to {} satisfy the equations of VM type {} and {} others within the "
      "tolerance {}; its share {} of machine type {} alone needs a size of {:.0f}; expected "
      "rounded "
      "fractions of whole sizes, or a --tolerance as coarse as they were rounded",
      program.resource, kMaxResourceAmount, sizes.vm_types[worst->vm_type].id,
      group.vm_types.size() - 1, tolerance, worst->share,
      sizes.machine_types[worst->machine_type].id, largest));
}

/// The multiple of a group's least solution that gives a machine type its known total.
std::int64_t find_scale(const RecoveredSizes& sizes, const RatioGroup& group,
                        const Program& program, const IntegerSizes& least) {
  std::optional<std::int64_t> scale;
  for (std::size_t i = 0; i < group.machine_types.size(); ++i) {
    const std::int64_t machine = sizes.machine_types[group.machine_types[i]].id;
    const auto known = program.known_totals->find(machine);
    if (known == program.known_totals->end()) continue;
    const std::int64_t total = known->second;
    const auto refuse = [&](const std::string& expected) {
      throw ConfigError(
          fmt::format("--host-{} {}={}: expected {}", program.resource, machine, total, expected));
    };
    if (total % least.machine_types[i] != 0) {
      refuse(fmt::format("a multiple of {}, the least at which all sizes are whole numbers",
                         least.machine_types[i]));
    }
    if (scale && least.machine_types[i] * *scale != total) {
      refuse(
          fmt::format("{}, as another machine type's total says", least.machine_types[i] * *scale));
    }
    scale = total / least.machine_types[i];
  }
  return scale.value_or(1);
}

void solve_group(RecoveredSizes& sizes, const RatioGroup& group, const Program& program,
                 double tolerance) {
  const auto least = find_integer_sizes(program.ratios, group, tolerance, kMaxResourceAmount);
  if (!least) fail_without_sizes(sizes, group, program, tolerance);
  const std::int64_t scale = find_scale(sizes, group, program, *least);
  const std::int64_t largest =
      std::max(std::ranges::max(least->vm_types), std::ranges::max(least->machine_types));
  if (largest > kMaxResourceAmount / scale) {
    throw ConfigError(
        fmt::format("--host-{}: the largest size would be {} x {}, expected at most {}",
                    program.resource, largest, scale, kMaxResourceAmount));
  }
  for (std::size_t i = 0; i < group.vm_types.size(); ++i) {
    sizes.vm_types[group.vm_types[i]].*program.size = least->vm_types[i] * scale;
  }
  for (std::size_t i = 0; i < group.machine_types.size(); ++i) {
    sizes.machine_types[group.machine_types[i]].*program.size = least->machine_types[i] * scale;
  }
}

void number_groups(RecoveredSizes& sizes, const std::vector<RatioGroup>& groups) {
  sizes.groups = groups.size();
  for (std::size_t number = 1; number <= groups.size(); ++number) {
    const RatioGroup& group = groups[number - 1];
    for (const std::size_t type : group.vm_types) sizes.vm_types[type].group = number;
    for (const std::size_t machine : group.machine_types) {
      sizes.machine_types[machine].group = number;
    }
  }
  for (RecoveredSize& machine : sizes.machine_types) {
    if (machine.group == 0) machine.recovery = Recovery::kNoVmType;
  }
}

void check_known_totals(const RecoveredSizes& sizes, const Program& program) {
  for (const auto& [machine, total] : *program.known_totals) {
    const auto found = std::ranges::find(sizes.machine_types, machine, &RecoveredSize::id);
    if (found != sizes.machine_types.end() && found->group != 0) continue;
    throw ConfigError(
        fmt::format("--host-{} {}={}: there is no such machine type with a recovered size",
                    program.resource, machine, total));
  }
}

}  // namespace

RecoveredSizes recover_sizes(const std::vector<TypeShare>& shares,
                             const std::map<std::int64_t, std::uint64_t>& requests,
                             const RecoveryOptions& options) {
  RecoveredSizes sizes = list_types(shares, requests, options);
  std::array<Program, 2> programs{Program{.resource = "cores",
                                          .size = &RecoveredSize::vcpus,
                                          .is_inconsistent = &RecoveredSize::vcpus_inconsistent,
                                          .known_totals = &options.host_vcpus},
                                  Program{.resource = "memory",
                                          .size = &RecoveredSize::memory,
                                          .is_inconsistent = &RecoveredSize::memory_inconsistent,
                                          .known_totals = &options.host_memory}};
  write_equations(shares, sizes, programs);
  const Dropped dropped = drop_inconsistent(sizes, programs, options.tolerance);
  const std::vector<RatioGroup> groups = find_ratio_groups(programs[0].ratios, dropped);
  if (groups.empty()) {
    throw ConfigError(
        "no VM type that is requested has a consistent size: expected rows of vmType for the "
        "requested types, or a coarser --tolerance");
  }
  number_groups(sizes, groups);
  for (const Program& program : programs) {
    check_known_totals(sizes, program);
    for (const RatioGroup& group : groups) solve_group(sizes, group, program, options.tolerance);
  }
  return sizes;
}

}  // namespace cospot
