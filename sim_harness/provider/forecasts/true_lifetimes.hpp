#pragma once

#include <string_view>

#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

// The policies that need the true ends of spots (PluginInfo::needs_true_lifetimes). The revenue of
// a run with one of them is an upper bound, because no datacenter can deploy it. A policy outside
// the registries (written in Python, or Nova's) counts as deployable.

[[nodiscard]] bool needs_true_lifetimes(const EvictorSpec& evictor);

/// True if any of the chain's filters and weighers does.
[[nodiscard]] bool needs_true_lifetimes(const ChainSpec& chain);

/// True if any of its policies does.
[[nodiscard]] bool needs_true_lifetimes(const AllocatorSpec& allocator);

// The same by name, as `cospot list` prints it, for a run that was read from a file.

[[nodiscard]] bool filter_needs_true_lifetimes(std::string_view name);
[[nodiscard]] bool weigher_needs_true_lifetimes(std::string_view name);
[[nodiscard]] bool evictor_needs_true_lifetimes(std::string_view name);

}  // namespace cospot
