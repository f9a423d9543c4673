#include "sim_harness/engine/allocator.hpp"

#include "evictors/registry.hpp"
#include "filters/feasibility_filter.hpp"
#include "filters/registry.hpp"
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

std::shared_ptr<const Chain> make_chain(const ChainSpec& spec, ChainSide side) {
  std::vector<std::unique_ptr<Filter>> filters;
  if (side == ChainSide::kSpot) {
    filters.push_back(std::make_unique<SpotFeasibilityFilter>(PluginOptions{}));
  } else {
    filters.push_back(std::make_unique<VmFeasibilityFilter>(PluginOptions{}));
  }
  if (side == ChainSide::kVmAvoidingSpots) {
    filters.push_back(std::make_unique<SpotAvoidingFilter>(PluginOptions{}));
  }
  for (const FilterSpec& filter : spec.filters) filters.push_back(make_filter(filter));
  std::vector<Chain::WeighedBy> weighers;
  for (const WeigherSpec& weigher : spec.weighers) {
    weighers.push_back({make_weigher(weigher), weigher.multiplier});
  }
  return std::make_shared<const Chain>(std::move(filters), std::move(weighers));
}

Allocator make_allocator(const RunSettings& settings) {
  return {
      .vm = make_chain(settings.vm, settings.saf ? ChainSide::kVmAvoidingSpots : ChainSide::kVm),
      .spot = make_chain(settings.spot, ChainSide::kSpot),
      .evictor = make_evictor(settings.evictor),
      .otn = settings.otn};
}

}  // namespace cospot
