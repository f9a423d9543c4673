#include "sim_harness/engine/informed_evictor.hpp"

#include "sim_harness/engine/spot_traits.hpp"

namespace cospot {

std::shared_ptr<const Evictor> informed_evictor(const std::shared_ptr<const Evictor>& evictor,
                                                const Workload& workload,
                                                const EventSchedule& schedule) {
  std::shared_ptr<const Evictor> informed =
      evictor->informed([&] { return read_spot_traits(workload, schedule); });
  return informed == nullptr ? evictor : informed;
}

}  // namespace cospot
