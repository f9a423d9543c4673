#pragma once

#include <memory>

#include "core/provider/allocator.hpp"
#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

/// The kind of request for which a chain ranks hosts: a VM ignores spots, a spot does not.
enum class ChainSide : std::uint8_t { kVm, kVmAvoidingSpots, kSpot };

// Make a policy from the user's settings: from its registry, or by the spec's own `make`. Errors:
// ConfigError for an unknown policy or option.
[[nodiscard]] std::unique_ptr<Filter> make_filter(const FilterSpec& spec);
[[nodiscard]] std::unique_ptr<Weigher> make_weigher(const WeigherSpec& spec);
[[nodiscard]] std::shared_ptr<const Evictor> make_evictor(const EvictorSpec& spec);

/// Makes a chain from the user's settings: feasibility, SAF if requested, Nova's filters of zones,
/// aggregates, tenants and groups if placements are used, the chain's own filters, then its
/// weighers.
///
/// Errors: ConfigError for an unknown policy or option.
[[nodiscard]] std::shared_ptr<const Chain> make_chain(const ChainSpec& spec, ChainSide side,
                                                      bool with_placements = false);

/// `with_placements`: for a schedule whose requests ask for more than capacity.
///
/// Errors: ConfigError for an unknown policy or option.
[[nodiscard]] Allocator make_allocator(const AllocatorSpec& spec, bool with_placements = false);

}  // namespace cospot
