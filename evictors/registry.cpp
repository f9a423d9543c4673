#include "evictors/registry.hpp"

#include <array>

#include "evictors/fifo_evictor.hpp"
#include "evictors/lifetime_evictor.hpp"
#include "evictors/youngest_first_evictor.hpp"

namespace cospot {

std::span<const RegistryEntry<Evictor>> evictor_registry() {
  static constexpr std::array kRegistry{
      registry_entry<Evictor, FifoEvictor>(),
      registry_entry<Evictor, LifetimeEvictor<KnownLifetimes::kTrue>>(),
      registry_entry<Evictor, LifetimeEvictor<KnownLifetimes::kPredicted>>(),
      registry_entry<Evictor, LifetimeEvictor<KnownLifetimes::kSurvival>>(),
      registry_entry<Evictor, YoungestFirstEvictor>(),
  };
  return kRegistry;
}

}  // namespace cospot
