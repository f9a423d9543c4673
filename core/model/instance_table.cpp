#include "core/model/instance_table.hpp"

#include <algorithm>

namespace cospot {

RunningSpot InstanceTable::remove_spot(InstanceIndex instance) {
  std::vector<RunningSpot>& spots = spots_on_[host_of_[instance]];
  const auto position =
      std::find_if(spots.begin(), spots.end(),
                   [instance](const RunningSpot& spot) { return spot.instance == instance; });
  const RunningSpot removed = *position;
  spots.erase(position);
  host_of_[instance] = kNoHost;
  return removed;
}

}  // namespace cospot
