#pragma once

#include "core/policy/filter.hpp"
#include "core/policy/forecasts.hpp"
#include "core/policy/plugin.hpp"
#include "guarantees/economy/economy_promise.hpp"

namespace cospot {

/// Admits a request of the Economy class while what the class uses, with the request, is not more
/// than what is promised to it (Request::forecasts): then every host passes, else none. It belongs
/// in the chain of that class. Where nobody says what is promised it admits no one, as before the
/// first prediction; with `before_first_refresh: admit` everyone.
///
/// Source: Carvalho et al., SoCC 2014: the quantity is what is sold as Economy.
class EconomyFilter final : public PerHostFilter<EconomyFilter> {
 public:
  static constexpr PluginInfo kInfo{
      .name = "EconomyPromise",
      .summary = "Passes every host while the quantity promised to the Economy class lasts.",
      .source = "Carvalho et al., SoCC 2014",
      .needs_economy_promise = true};

  /// Errors: ConfigError, for an unknown option or value.
  explicit EconomyFilter(const PluginOptions& options);

  [[nodiscard]] bool host_passes(HostRow /*host*/, const Request& request) const noexcept {
    if (request.forecasts == nullptr || request.forecasts->economy == nullptr) {
      return admits_without_promise_;
    }
    return request.forecasts->economy->admits(request.vcpus, request.memory_mb);
  }

 private:
  bool admits_without_promise_ = false;
};

}  // namespace cospot
