#include "guarantees/pricing/transient_request.hpp"

#include <fmt/format.h>

#include "core/errors.hpp"
#include "core/policy/forecasts.hpp"
#include "guarantees/pricing/server_idle.hpp"

namespace cospot {

const HostRevocations* known_revocations(const Request& request) {
  if (!request.is_spot() || request.forecasts == nullptr) return nullptr;
  const HostRevocations* revocations = request.forecasts->revocations;
  return revocations != nullptr && revocations->is_known() ? revocations : nullptr;
}

bool is_of_high_class(const Request& request, double from_hours) {
  return hours_of(request.asked_lifetime) >= from_hours;
}

double read_positive_hours(const PluginOptions& options, const std::string& key, double fallback) {
  const double value = options.read_number(key, fallback);
  if (value > 0) return value;
  throw ConfigError(fmt::format("{}: found {}, expected hours above 0", key, value));
}

}  // namespace cospot
