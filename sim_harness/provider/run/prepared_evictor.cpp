#include "sim_harness/provider/run/prepared_evictor.hpp"

#include "sim_harness/provider/run/spot_traits.hpp"

namespace cospot {

std::shared_ptr<const Evictor> prepared_evictor(const std::shared_ptr<const Evictor>& evictor,
                                                const Workload& workload,
                                                const EventSchedule& schedule) {
  std::shared_ptr<const Evictor> prepared =
      evictor->prepared_for([&] { return read_spot_traits(workload, schedule); });
  return prepared == nullptr ? evictor : prepared;
}

}  // namespace cospot
