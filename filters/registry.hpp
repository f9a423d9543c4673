#pragma once

#include <span>

#include "core/policy/filter.hpp"
#include "core/policy/plugin.hpp"

namespace cospot {

/// Every built-in filter, in the order `cospot list filters` prints them.
[[nodiscard]] std::span<const RegistryEntry<Filter>> filter_registry();

}  // namespace cospot
