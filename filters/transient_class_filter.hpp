#pragma once

#include "core/policy/filter.hpp"
#include "core/policy/plugin.hpp"
#include "guarantees/pricing/host_revocations.hpp"
#include "guarantees/pricing/transient_request.hpp"

namespace cospot {

/// TransientClass: a spot that asks for a long life (`from_hours` and more) is one of the high
/// class, which is promised a time to revocation of `mttr_hours`. It passes only hosts where that
/// holds, by what was seen so far; so it may be rejected. Every other request passes everywhere,
/// and so does every spot before the first eviction.
///
/// Source: the classes of Shastri et al., "Transient guarantees", SC 2016, section III.
class TransientClassFilter final : public Filter {
 public:
  static constexpr PluginInfo kInfo{
      .name = "TransientClass",
      .summary = "Passes long-lived spots only where their promised time to revocation holds.",
      .source = "Shastri et al., Transient guarantees, section III",
      .needs_revocation_forecast = true};

  /// Errors: ConfigError for an option that is not positive.
  explicit TransientClassFilter(const PluginOptions& options)
      : from_hours_(read_positive_hours(options, "from_hours", 24)),
        mttr_hours_(read_positive_hours(options, "mttr_hours", 168)) {
    options.reject_unknown();
  }

  void filter_all(const HostView& /*hosts*/, std::span<const HostIndex> candidates,
                  const Request& request, std::span<std::uint8_t> passes) const override {
    const HostRevocations* known = known_revocations(request);
    const bool is_high = known != nullptr && is_of_high_class(request, from_hours_);
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      passes[i] = !is_high || known->mttr_hours(candidates[i]) >= mttr_hours_ ? 1 : 0;
    }
  }

 private:
  double from_hours_;
  double mttr_hours_;
};

}  // namespace cospot
