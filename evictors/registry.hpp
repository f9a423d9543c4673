#pragma once

#include <span>

#include "core/policy/evictor.hpp"
#include "core/policy/plugin.hpp"

namespace cospot {

/// Every built-in evictor, in the order `cospot list evictors` prints them.
[[nodiscard]] std::span<const RegistryEntry<Evictor>> evictor_registry();

}  // namespace cospot
