#pragma once

#include <span>

#include "core/filter.hpp"
#include "core/plugin.hpp"

namespace cospot {

/// Every built-in filter, in the order `cospot list filters` prints them.
[[nodiscard]] std::span<const RegistryEntry<Filter>> filter_registry();

}  // namespace cospot
