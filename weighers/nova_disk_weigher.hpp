#pragma once

#include <optional>

#include "core/policy/plugin.hpp"
#include "core/policy/weigher.hpp"

namespace cospot {

/// DiskWeigher: the more disk is free, the better (spreads; a negative multiplier stacks). The
/// weight is the free disk that Nova sees, next to VMs and spots, in MiB as in Nova's free_disk_mb.
/// An overcommitted host counts as full.
///
/// Source: nova/scheduler/weights/disk.py; Nova's default multiplier is 1.0.
class NovaDiskWeigher final : public PerHostWeigher<NovaDiskWeigher> {
 public:
  static constexpr PluginInfo kInfo{.name = "DiskWeigher",
                                    .summary = "Most free disk first, spots included.",
                                    .source = "nova/scheduler/weights/disk.py"};

  explicit NovaDiskWeigher(const PluginOptions& options) { options.reject_unknown(); }

  [[nodiscard]] double weigh_host(HostRow host, const Request& /*request*/) const noexcept {
    constexpr double kMibPerGib = 1024;
    return kMibPerGib * host.free(Sees::kVmsAndSpots).disk_gb;
  }

  [[nodiscard]] std::optional<double> minval() const override { return 0; }
};

}  // namespace cospot
