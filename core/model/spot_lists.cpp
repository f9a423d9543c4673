#include "core/model/spot_lists.hpp"

#include <algorithm>

namespace cospot {

RunningSpot SpotLists::remove(InstanceIndex instance, HostIndex host) {
  std::vector<RunningSpot>& spots = spots_on_[host];
  const auto position =
      std::find_if(spots.begin(), spots.end(),
                   [instance](const RunningSpot& spot) { return spot.instance == instance; });
  const RunningSpot removed = *position;
  spots.erase(position);
  return removed;
}

}  // namespace cospot
