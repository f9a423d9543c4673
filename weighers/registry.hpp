#pragma once

#include <span>

#include "core/plugin.hpp"
#include "core/weigher.hpp"

namespace cospot {

/// Every built-in weigher, in the order `cospot list weighers` prints them.
[[nodiscard]] std::span<const RegistryEntry<Weigher>> weigher_registry();

}  // namespace cospot
