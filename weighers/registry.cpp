#include "weighers/registry.hpp"

#include <array>

#include "weighers/cosine_weigher.hpp"
#include "weighers/dpd_weigher.hpp"
#include "weighers/fewest_spots_weigher.hpp"
#include "weighers/first_fit_weigher.hpp"
#include "weighers/low_revocation_weigher.hpp"
#include "weighers/nova_cpu_weigher.hpp"
#include "weighers/nova_disk_weigher.hpp"
#include "weighers/nova_io_ops_weigher.hpp"
#include "weighers/nova_ram_weigher.hpp"
#include "weighers/server_group_soft_affinity_weigher.hpp"
#include "weighers/server_group_soft_anti_affinity_weigher.hpp"
#include "weighers/spot_hour_weigher.hpp"
#include "weighers/util_weigher.hpp"

namespace cospot {

std::span<const RegistryEntry<Weigher>> weigher_registry() {
  static constexpr std::array kRegistry{
      registry_entry<Weigher, UtilWeigher<PolicyVariant::kVm>>(),
      registry_entry<Weigher, CosineWeigher<PolicyVariant::kVm>>(),
      registry_entry<Weigher, DpdWeigher<PolicyVariant::kVm>>(),
      registry_entry<Weigher, UtilWeigher<PolicyVariant::kSpot>>(),
      registry_entry<Weigher, CosineWeigher<PolicyVariant::kSpot>>(),
      registry_entry<Weigher, DpdWeigher<PolicyVariant::kSpot>>(),
      registry_entry<Weigher, UtilWeigher<PolicyVariant::kVmAvoiding>>(),
      registry_entry<Weigher, CosineWeigher<PolicyVariant::kVmAvoiding>>(),
      registry_entry<Weigher, DpdWeigher<PolicyVariant::kVmAvoiding>>(),
      registry_entry<Weigher, FirstFitWeigher>(),
      registry_entry<Weigher, FewestSpotsWeigher>(),
      registry_entry<Weigher, SpotHourWeigher>(),
      registry_entry<Weigher, LowRevocationWeigher>(),
      registry_entry<Weigher, NovaRamWeigher>(),
      registry_entry<Weigher, NovaCpuWeigher>(),
      registry_entry<Weigher, NovaDiskWeigher>(),
      registry_entry<Weigher, NovaIoOpsWeigher>(),
      registry_entry<Weigher, ServerGroupSoftAffinityWeigher>(),
      registry_entry<Weigher, ServerGroupSoftAntiAffinityWeigher>(),
  };
  return kRegistry;
}

}  // namespace cospot
