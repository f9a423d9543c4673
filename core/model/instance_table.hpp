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

/// Which instance runs where, and the spots on every host, for instances that are numbered without
/// gaps. One writer, the one that changes the HostTable beside it.
class InstanceTable {
 public:
  /// For instances 0 .. `instances` - 1 on hosts 0 .. `hosts` - 1; none runs yet.
  InstanceTable(std::size_t instances, std::size_t hosts)
      : host_of_(instances, kNoHost), spots_(hosts) {}

  /// The host an instance runs on; kNoHost when it does not run.
  [[nodiscard]] HostIndex host_of(InstanceIndex instance) const { return host_of_[instance]; }

  [[nodiscard]] const SpotLists& spots() const { return spots_; }
  [[nodiscard]] std::span<const RunningSpot> spots_on(HostIndex host) const {
    return spots_.spots_on(host);
  }

  void place_vm(InstanceIndex instance, HostIndex host) { host_of_[instance] = host; }
  void remove_vm(InstanceIndex instance) { host_of_[instance] = kNoHost; }

  void place_spot(const RunningSpot& spot, HostIndex host) {
    host_of_[spot.instance] = host;
    spots_.add(spot, host);
  }

  /// Removes a spot that runs and returns what it was.
  RunningSpot remove_spot(InstanceIndex instance) {
    return spots_.remove(instance, std::exchange(host_of_[instance], kNoHost));
  }

 private:
  std::vector<HostIndex> host_of_;
  SpotLists spots_;
};

inline std::span<const RunningSpot> HostRow::spots() const {
  if (view_->spots == nullptr) return {};
  return view_->spots->spots_on(host_);
}

}  // namespace cospot
