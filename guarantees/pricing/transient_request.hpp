#pragma once

#include <string>

#include "core/model/request.hpp"
#include "core/policy/plugin.hpp"
#include "guarantees/pricing/host_revocations.hpp"

namespace cospot {

// The questions of the policies of transient classes to a request.

/// The rates of the request's forecasts; null for a VM, without a forecast, and while nothing is
/// known.
[[nodiscard]] const HostRevocations* known_revocations(const Request& request);

/// Tells whether a spot asks for so long a life that it is one of the high class.
[[nodiscard]] bool is_of_high_class(const Request& request, double from_hours);

/// An option in hours. Errors: ConfigError when it is not positive.
[[nodiscard]] double read_positive_hours(const PluginOptions& options, const std::string& key,
                                         double fallback);

}  // namespace cospot
