#pragma once

#include <string_view>

#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

// Which policies need to know when spots will really end (PluginInfo::needs_true_lifetimes). What a
// run with one of them earns is an upper bound; no datacenter can be set to it. A policy that is in
// no registry, because it is written in Python or is Nova's, counts as one that can be set.

[[nodiscard]] bool needs_true_lifetimes(const EvictorSpec& evictor);

/// Of any of the chain's filters and weighers.
[[nodiscard]] bool needs_true_lifetimes(const ChainSpec& chain);

// The same by name, as `cospot list` has it: all that is known of a run that was read from a file.

[[nodiscard]] bool filter_needs_true_lifetimes(std::string_view name);
[[nodiscard]] bool weigher_needs_true_lifetimes(std::string_view name);
[[nodiscard]] bool evictor_needs_true_lifetimes(std::string_view name);

}  // namespace cospot
