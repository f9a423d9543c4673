#pragma once

#include "core/model/reserved_capacity.hpp"
#include "core/policy/filter.hpp"
#include "core/policy/plugin.hpp"

namespace cospot {

/// Keeps spots out of capacity that is reserved for VMs: `count` VMs of `vcpus` and `memory_mb`,
/// each on one host, on all hosts together. A spot may have a host on which it takes no room for
/// one of these VMs, or on which the reserve can spare it. While the reserve is not complete it may
/// have no host on which one more such VM would fit without spots: notices free capacity there, and
/// a spot that took part of it would cost another one. VMs may have every host.
///
/// Source: cospot/nova/scheduler/reserve_guard.py, which does the same in Nova.
class ReserveFilter final : public Filter {
 public:
  static constexpr PluginInfo kInfo{
      .name = "Reserve",
      .summary = "Keeps spots out of capacity that is reserved for VMs.",
      .source = "cospot; the option default_reserve of cospot-evictor"};

  explicit ReserveFilter(const PluginOptions& options);

  void filter_all(const HostView& hosts, std::span<const HostIndex> candidates,
                  const Request& request, std::span<std::uint8_t> passes) const override;

 private:
  ReservedCapacity reserved_;
};

}  // namespace cospot
