#include "sim_harness/provider/run/prepared_evictor.hpp"

#include <string_view>
#include <unordered_map>

namespace cospot {

std::vector<SpotTraits> read_spot_traits(const Workload& workload, const EventSchedule& schedule) {
  std::vector<SpotTraits> traits;
  std::unordered_map<std::string_view, SimTime> last_lifetime;  // by tenant; never iterated
  for (const ScheduledEvent& event : schedule.events) {
    const WorkloadRow& row = workload.rows[event.instance];
    if (event.is_departure()) {
      last_lifetime[row.tenant] = row.end - row.start;
    } else if (event.is_spot()) {
      const auto found = last_lifetime.find(row.tenant);
      traits.push_back(
          {.instance = event.instance,
           .resources = row.resources,
           .requested_at = row.start,
           .previous_lifetime = found == last_lifetime.end() ? kNever : found->second});
    }
  }
  return traits;
}

std::shared_ptr<const Evictor> prepared_evictor(const std::shared_ptr<const Evictor>& evictor,
                                                const Workload& workload,
                                                const EventSchedule& schedule) {
  std::shared_ptr<const Evictor> prepared =
      evictor->prepared_for([&] { return read_spot_traits(workload, schedule); });
  return prepared == nullptr ? evictor : prepared;
}

}  // namespace cospot
