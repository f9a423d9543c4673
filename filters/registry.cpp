#include "filters/registry.hpp"

#include <array>

#include "filters/economy_filter.hpp"
#include "filters/feasibility_filter.hpp"
#include "filters/lifetime_sla_filter.hpp"
#include "filters/spot_avoiding_filter.hpp"
#include "filters/transient_class_filter.hpp"

namespace cospot {

std::span<const RegistryEntry<Filter>> filter_registry() {
  static constexpr std::array kRegistry{
      registry_entry<Filter, VmFeasibilityFilter>(),
      registry_entry<Filter, SpotFeasibilityFilter>(),
      registry_entry<Filter, SpotAvoidingFilter>(),
      registry_entry<Filter, LifetimeSlaFilter>(),
      registry_entry<Filter, EconomyFilter>(),
      registry_entry<Filter, TransientClassFilter>(),
  };
  return kRegistry;
}

}  // namespace cospot
