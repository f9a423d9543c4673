#include "sim_harness/provider/forecasts/true_lifetimes.hpp"

#include <algorithm>
#include <span>

#include "evictors/registry.hpp"
#include "filters/registry.hpp"
#include "weighers/registry.hpp"

namespace cospot {
namespace {

template <class Plugin>
bool is_flagged(std::span<const RegistryEntry<Plugin>> registry, std::string_view name) {
  const PluginInfo* info = find_info(registry, name);
  return info != nullptr && info->needs_true_lifetimes();
}

}  // namespace

bool filter_needs_true_lifetimes(std::string_view name) {
  return is_flagged(filter_registry(), name);
}

bool weigher_needs_true_lifetimes(std::string_view name) {
  return is_flagged(weigher_registry(), name);
}

bool evictor_needs_true_lifetimes(std::string_view name) {
  return is_flagged(evictor_registry(), name);
}

bool needs_true_lifetimes(const EvictorSpec& evictor) {
  return !evictor.make && evictor_needs_true_lifetimes(evictor.name);
}

bool needs_true_lifetimes(const ChainSpec& chain) {
  return std::ranges::any_of(chain.filters,
                             [](const FilterSpec& filter) {
                               return !filter.make && filter_needs_true_lifetimes(filter.name);
                             }) ||
         std::ranges::any_of(chain.weighers, [](const WeigherSpec& weigher) {
           return !weigher.make && weigher_needs_true_lifetimes(weigher.name);
         });
}

bool needs_true_lifetimes(const AllocatorSpec& allocator) {
  return needs_true_lifetimes(allocator.vm) || needs_true_lifetimes(allocator.spot) ||
         needs_true_lifetimes(allocator.evictor);
}

}  // namespace cospot
