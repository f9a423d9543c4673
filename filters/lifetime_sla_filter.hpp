#pragma once

#include <span>

#include "core/policy/filter.hpp"
#include "core/policy/plugin.hpp"
#include "guarantees/sla/lifetime_sla_options.hpp"

namespace cospot {

/// LifetimeSla: passes all hosts to a spot that asks for no longer life than can be promised now,
/// and none to one that asks for more. What can be promised follows from how many more spots of its
/// size fit next to all instances, on all hosts together, and the lifetimes in the request's
/// forecasts. A VM, and a spot that asks for nothing, pass everywhere.
///
/// Source: Pucher et al., "Providing Lifetime SLAs for Cloud Spot Instances", section II.
class LifetimeSlaFilter final : public Filter {
 public:
  static constexpr PluginInfo kInfo{
      .name = "LifetimeSla",
      .summary = "Passes spots whose asked lifetime can be promised now.",
      .source = "Pucher et al., Providing Lifetime SLAs for Cloud Spot Instances",
      .needs_lifetime_forecast = true};

  /// Errors: ConfigError (read_lifetime_sla_options).
  explicit LifetimeSlaFilter(const PluginOptions& options);

  void filter_all(const HostView& hosts, std::span<const HostIndex> candidates,
                  const Request& request, std::span<std::uint8_t> passes) const override;

  /// Tells whether the lifetime that a request asks for can be promised on these hosts.
  [[nodiscard]] bool promises(const HostView& hosts, const Request& request) const;

 private:
  LifetimeSlaOptions options_;
};

/// The number of further spots of `size` that fit on the hosts next to all instances.
[[nodiscard]] std::int64_t free_slots(const HostView& hosts, const ResourceVector& size);

}  // namespace cospot
