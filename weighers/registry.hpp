#pragma once

#include <span>

#include "core/policy/plugin.hpp"
#include "core/policy/weigher.hpp"

namespace cospot {

/// Every built-in weigher, in the order `cospot list weighers` prints them.
[[nodiscard]] std::span<const RegistryEntry<Weigher>> weigher_registry();

}  // namespace cospot
