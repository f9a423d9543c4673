#pragma once

#include "core/policy/filter.hpp"
#include "core/policy/forecasts.hpp"
#include "core/policy/plugin.hpp"
#include "guarantees/economy/economy_promise.hpp"

namespace cospot {

/// Admits a request of the Economy class while what the class uses, with the request, is not more
/// than what is promised to it (Request::forecasts): then every host passes, else none. It belongs
/// in the chain of that class. Where nobody says what is promised, it admits everyone.
///
/// Source: Carvalho et al., SoCC 2014: the quantity is what is sold as Economy.
class EconomyFilter final : public PerHostFilter<EconomyFilter> {
 public:
  static constexpr PluginInfo kInfo{
      .name = "EconomyPromise",
      .summary = "Passes every host while the quantity promised to the Economy class lasts.",
      .source = "Carvalho et al., SoCC 2014"};

  explicit EconomyFilter(const PluginOptions& options) { options.reject_unknown(); }

  [[nodiscard]] bool host_passes(HostRow /*host*/, const Request& request) const noexcept {
    if (request.forecasts == nullptr || request.forecasts->economy == nullptr) return true;
    return request.forecasts->economy->admits(request.vcpus, request.memory_mb);
  }
};

}  // namespace cospot
