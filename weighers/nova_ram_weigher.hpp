#pragma once

#include <optional>

#include "core/policy/plugin.hpp"
#include "core/policy/weigher.hpp"

namespace cospot {

/// RAMWeigher: the more memory is free, the better (spreads; a negative multiplier stacks). The
/// weight is the free memory_mb that Nova sees: next to VMs and spots, after the allocation ratio.
/// An overcommitted host counts as full.
///
/// Source: nova/scheduler/weights/ram.py; Nova's default multiplier is 1.0.
class NovaRamWeigher final : public PerHostWeigher<NovaRamWeigher> {
 public:
  static constexpr PluginInfo kInfo{.name = "RAMWeigher",
                                    .summary = "Most free memory first, spots included.",
                                    .source = "nova/scheduler/weights/ram.py"};

  explicit NovaRamWeigher(const PluginOptions& options) { options.reject_unknown(); }

  [[nodiscard]] double weigh_host(HostRow host, const Request& /*request*/) const noexcept {
    return host.free(Sees::kVmsAndSpots).memory_mb;
  }

  [[nodiscard]] std::optional<double> minval() const override { return 0; }
};

}  // namespace cospot
