#pragma once

#include <span>
#include <utility>
#include <vector>

#include "core/model/host_table.hpp"
#include "core/model/request.hpp"
#include "core/model/running_spot.hpp"

namespace cospot {

/// The spots on every host, oldest placement first. One writer, the one that changes the HostTable
/// beside it.
class SpotLists {
 public:
  explicit SpotLists(std::size_t hosts) : spots_on_(hosts) {}

  /// Valid until a spot comes or goes on that host.
  [[nodiscard]] std::span<const RunningSpot> spots_on(HostIndex host) const {
    return spots_on_[host];
  }

  void add(const RunningSpot& spot, HostIndex host) { spots_on_[host].push_back(spot); }

  /// Removes a spot that is on the host and returns what it was.
  RunningSpot remove(InstanceIndex instance, HostIndex host);

  /// Makes the spots of a host what they are now.
  void replace(HostIndex host, std::vector<RunningSpot> spots) {
    spots_on_[host] = std::move(spots);
  }

 private:
  std::vector<std::vector<RunningSpot>> spots_on_;
};

inline std::span<const RunningSpot> HostRow::spots() const {
  if (view_->spots == nullptr) return {};
  return view_->spots->spots_on(host_);
}

}  // namespace cospot
