#include "weighers/registry.hpp"

#include <array>

#include "weighers/cosine_weigher.hpp"
#include "weighers/dpd_weigher.hpp"
#include "weighers/first_fit_weigher.hpp"
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
  };
  return kRegistry;
}

}  // namespace cospot
