#pragma once

#include "core/policy/plugin.hpp"
#include "core/policy/weigher.hpp"
#include "guarantees/pricing/host_revocations.hpp"
#include "guarantees/pricing/transient_request.hpp"

namespace cospot {

/// LowRevocation: sends spots of the high class, those that ask for `from_hours` and more, to the
/// hosts where spots are evicted least often, and all others to those where they are evicted most
/// often, so that calm hosts stay free for the first. The weight is minus the evictions in an hour
/// of a spot, or plus. Without a forecast, before the first eviction, and for VMs all hosts weigh
/// 0.
///
/// Source: Shastri et al., "Transient guarantees", SC 2016, section III-B: higher ranked servers
/// for higher classes.
class LowRevocationWeigher final : public Weigher {
 public:
  static constexpr PluginInfo kInfo{
      .name = "LowRevocation",
      .summary = "Hosts of rare evictions first for long-lived spots, last for others.",
      .source = "Shastri et al., Transient guarantees, section III-B",
      .needs_revocation_forecast = true};

  /// Errors: ConfigError for an option that is not positive.
  explicit LowRevocationWeigher(const PluginOptions& options)
      : from_hours_(read_positive_hours(options, "from_hours", 24)) {
    options.reject_unknown();
  }

  void weigh_all(const HostView& /*hosts*/, std::span<const HostIndex> candidates,
                 const Request& request, std::span<double> weights) const override {
    const HostRevocations* known = known_revocations(request);
    const double sign = is_of_high_class(request, from_hours_) ? -1 : 1;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      weights[i] = known == nullptr ? 0 : sign * known->rate(candidates[i]);
    }
  }

 private:
  double from_hours_;
};

}  // namespace cospot
