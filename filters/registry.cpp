#include "filters/registry.hpp"

#include <array>

#include "filters/aggregate_instance_extra_specs_filter.hpp"
#include "filters/aggregate_multi_tenancy_isolation_filter.hpp"
#include "filters/availability_zone_filter.hpp"
#include "filters/economy_filter.hpp"
#include "filters/feasibility_filter.hpp"
#include "filters/lifetime_sla_filter.hpp"
#include "filters/reserve_filter.hpp"
#include "filters/server_group_affinity_filter.hpp"
#include "filters/server_group_anti_affinity_filter.hpp"
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
      registry_entry<Filter, ReserveFilter>(),
      registry_entry<Filter, AvailabilityZoneFilter>(),
      registry_entry<Filter, AggregateInstanceExtraSpecsFilter>(),
      registry_entry<Filter, AggregateMultiTenancyIsolationFilter>(),
      registry_entry<Filter, ServerGroupAffinityFilter>(),
      registry_entry<Filter, ServerGroupAntiAffinityFilter>(),
  };
  return kRegistry;
}

}  // namespace cospot
