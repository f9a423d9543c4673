#pragma once

#include <memory>

#include "core/provider/allocator.hpp"
#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

/// Which side of the handshake a chain ranks hosts for: a VM ignores spots, a spot does not.
enum class ChainSide : std::uint8_t { kVm, kVmAvoidingSpots, kSpot };

// Make a policy from the user's settings: from its registry, or as the spec itself says.
// Errors: ConfigError for an unknown policy or option.
[[nodiscard]] std::unique_ptr<Filter> make_filter(const FilterSpec& spec);
[[nodiscard]] std::unique_ptr<Weigher> make_weigher(const WeigherSpec& spec);
[[nodiscard]] std::shared_ptr<const Evictor> make_evictor(const EvictorSpec& spec);

/// Makes a chain from the user's settings: feasibility, SAF if asked for, with placements Nova's
/// filters of zones, aggregates, tenants and groups, the chain's own filters, then its weighers.
///
/// Errors: ConfigError for an unknown policy or option.
[[nodiscard]] std::shared_ptr<const Chain> make_chain(const ChainSpec& spec, ChainSide side,
                                                      bool with_placements = false);

/// `with_placements`: for a schedule whose requests ask for more than room.
///
/// Errors: ConfigError for an unknown policy or option.
[[nodiscard]] Allocator make_allocator(const RunSettings& settings, bool with_placements = false);

}  // namespace cospot
