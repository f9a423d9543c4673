#include "sim_harness/provider/run/allocator.hpp"

#include <fmt/format.h>

#include "evictors/registry.hpp"
#include "filters/aggregate_instance_extra_specs_filter.hpp"
#include "filters/aggregate_multi_tenancy_isolation_filter.hpp"
#include "filters/availability_zone_filter.hpp"
#include "filters/feasibility_filter.hpp"
#include "filters/registry.hpp"
#include "filters/server_group_affinity_filter.hpp"
#include "filters/server_group_anti_affinity_filter.hpp"
#include "filters/spot_avoiding_filter.hpp"
#include "weighers/registry.hpp"

namespace cospot {

namespace {

/// Makes a policy the way its spec says.
template <class Plugin, class Spec>
std::unique_ptr<Plugin> make_policy(const Spec& spec, std::string_view kind,
                                    std::span<const RegistryEntry<Plugin>> registry) {
  return spec.make ? spec.make() : make_plugin(registry, kind, spec.name, spec.options);
}

/// Adds the checks of Nova's scheduler besides capacity, in the order of its filters.
void add_placement_filters(std::vector<std::unique_ptr<Filter>>& filters) {
  filters.push_back(std::make_unique<AvailabilityZoneFilter>(PluginOptions{}));
  filters.push_back(std::make_unique<AggregateInstanceExtraSpecsFilter>(PluginOptions{}));
  filters.push_back(std::make_unique<AggregateMultiTenancyIsolationFilter>(PluginOptions{}));
  filters.push_back(std::make_unique<ServerGroupAntiAffinityFilter>(PluginOptions{}));
  filters.push_back(std::make_unique<ServerGroupAffinityFilter>(PluginOptions{}));
}

}  // namespace

std::unique_ptr<Filter> make_filter(const FilterSpec& spec) {
  return make_policy(spec, "filter", filter_registry());
}

std::unique_ptr<Weigher> make_weigher(const WeigherSpec& spec) {
  return make_policy(spec, "weigher", weigher_registry());
}

std::shared_ptr<const Evictor> make_evictor(const EvictorSpec& spec) {
  if (spec.made != nullptr) return spec.made;
  return make_policy(spec, "evictor", evictor_registry());
}

std::shared_ptr<const Chain> make_chain(const ChainSpec& spec, ChainSide side,
                                        bool with_placements) {
  std::vector<std::unique_ptr<Filter>> filters;
  if (side == ChainSide::kSpot) {
    filters.push_back(std::make_unique<SpotFeasibilityFilter>(PluginOptions{}));
  } else {
    filters.push_back(std::make_unique<VmFeasibilityFilter>(PluginOptions{}));
  }
  if (side == ChainSide::kVmAvoidingSpots) {
    filters.push_back(std::make_unique<SpotAvoidingFilter>(PluginOptions{}));
  }
  if (with_placements) add_placement_filters(filters);
  for (const FilterSpec& filter : spec.filters) filters.push_back(make_filter(filter));
  std::vector<Chain::WeighedBy> weighers;
  for (const WeigherSpec& weigher : spec.weighers) {
    weighers.push_back({make_weigher(weigher), weigher.multiplier});
  }
  return std::make_shared<const Chain>(std::move(filters), std::move(weighers));
}

std::string AllocatorSpec::label() const {
  if (places_no_spots()) return vm.label + ", no spots";
  return fmt::format("{}, {}, {}, SAF {}, OTN {}", vm.label, spot.label, evictor.label, saf_label(),
                     otn.label());
}

std::string AllocatorSpec::named_label() const {
  if (places_no_spots()) return "VM " + vm.label;
  return fmt::format("VM {}, spot {}, evictor {}, SAF {}, OTN {}", vm.label, spot.label,
                     evictor.label, saf_label(), otn.label());
}

Allocator make_allocator(const AllocatorSpec& spec, bool with_placements) {
  const ChainSide side = spec.saf ? ChainSide::kVmAvoidingSpots : ChainSide::kVm;
  if (spec.places_no_spots()) return {.vm = make_chain(spec.vm, side, with_placements)};
  Allocator allocator{.vm = make_chain(spec.vm, side, with_placements),
                      .spot = make_chain(spec.spot, ChainSide::kSpot, with_placements),
                      .evictor = make_evictor(spec.evictor),
                      .otn = spec.otn};
  for (const ChainSpec& chain : spec.between) {
    allocator.between.push_back(make_chain(chain, side, with_placements));
  }
  return allocator;
}

}  // namespace cospot
