#pragma once

#include <span>
#include <vector>

#include "core/model/host_table.hpp"
#include "core/model/request.hpp"
#include "core/policy/evictor.hpp"

namespace cospot {

/// Which instance runs where, and the spots on every host in the order of their placement. One
/// writer, the one that changes the HostTable beside it.
class InstanceTable {
 public:
  /// For instances 0 .. `instances` - 1 on hosts 0 .. `hosts` - 1; none runs yet.
  InstanceTable(std::size_t instances, std::size_t hosts)
      : host_of_(instances, kNoHost), spots_on_(hosts) {}

  /// The host an instance runs on; kNoHost when it does not run.
  [[nodiscard]] HostIndex host_of(InstanceIndex instance) const { return host_of_[instance]; }

  /// The spots on a host, oldest placement first. Valid until a spot comes or goes there.
  [[nodiscard]] std::span<const RunningSpot> spots_on(HostIndex host) const {
    return spots_on_[host];
  }

  void place_vm(InstanceIndex instance, HostIndex host) { host_of_[instance] = host; }
  void remove_vm(InstanceIndex instance) { host_of_[instance] = kNoHost; }

  void place_spot(const RunningSpot& spot, HostIndex host) {
    host_of_[spot.instance] = host;
    spots_on_[host].push_back(spot);
  }

  /// Removes a spot that runs and returns what it was.
  RunningSpot remove_spot(InstanceIndex instance);

 private:
  std::vector<HostIndex> host_of_;
  std::vector<std::vector<RunningSpot>> spots_on_;
};

inline std::span<const RunningSpot> HostRow::spots() const {
  if (view_->instances == nullptr) return {};
  return view_->instances->spots_on(host_);
}

}  // namespace cospot
