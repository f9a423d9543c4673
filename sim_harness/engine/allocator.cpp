#include "sim_harness/engine/allocator.hpp"

#include "core/errors.hpp"
#include "evictors/registry.hpp"
#include "filters/feasibility_filter.hpp"
#include "filters/spot_avoiding_filter.hpp"
#include "weighers/registry.hpp"

namespace cospot {

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
  std::vector<Chain::WeighedBy> weighers;
  for (const WeigherSpec& weigher : spec.weighers) {
    weighers.push_back({make_plugin(weigher_registry(), "weigher", weigher.name, weigher.options),
                        weigher.multiplier});
  }
  return std::make_shared<const Chain>(std::move(filters), std::move(weighers));
}

std::shared_ptr<const Evictor> make_evictor(const EvictorSpec& spec) {
  return make_plugin(evictor_registry(), "evictor", spec.name, spec.options);
}

Allocator make_allocator(const RunSettings& settings) {
  if (settings.otn == 0) throw ConfigError("otn is 0, expected at least 1");
  return {
      .vm = make_chain(settings.vm, settings.saf ? ChainSide::kVmAvoidingSpots : ChainSide::kVm),
      .spot = make_chain(settings.spot, ChainSide::kSpot),
      .evictor = make_evictor(settings.evictor),
      .otn = settings.otn};
}

}  // namespace cospot
