#pragma once

#include <optional>

#include "core/policy/plugin.hpp"
#include "core/policy/weigher.hpp"

namespace cospot {

/// CPUWeigher: the more vcpus are free, the better (spreads; a negative multiplier stacks). The
/// weight is the free vcpus that Nova sees: next to VMs and spots. A host's total is in whole vcpus
/// after cpu_allocation_ratio, where Nova multiplies the two and may keep a fraction. An
/// overcommitted host counts as full.
///
/// Source: nova/scheduler/weights/cpu.py; Nova's default multiplier is 1.0.
class NovaCpuWeigher final : public PerHostWeigher<NovaCpuWeigher> {
 public:
  static constexpr PluginInfo kInfo{.name = "CPUWeigher",
                                    .summary = "Most free vcpus first, spots included.",
                                    .source = "nova/scheduler/weights/cpu.py"};

  explicit NovaCpuWeigher(const PluginOptions& options) { options.reject_unknown(); }

  [[nodiscard]] double weigh_host(HostRow host, const Request& /*request*/) const noexcept {
    return host.free(Sees::kVmsAndSpots).vcpus;
  }

  [[nodiscard]] std::optional<double> minval() const override { return 0; }
};

}  // namespace cospot
