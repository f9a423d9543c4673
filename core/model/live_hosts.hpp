#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/model/host_table.hpp"
#include "core/model/instance_table.hpp"
#include "core/model/request.hpp"

namespace cospot {

/// The hosts of a cloud that runs, as its scheduler last saw them. Unlike a Datacenter it does not
/// know what every change was: a host is replaced as a whole, may be overcommitted, and only some
/// of the hosts are candidates for a request. One writer; threads that share it need a lock.
class LiveHosts {
 public:
  /// Hosts of these names that are full.
  explicit LiveHosts(const std::vector<std::string>& names);

  LiveHosts(const LiveHosts&) = delete;
  LiveHosts& operator=(const LiveHosts&) = delete;

  [[nodiscard]] std::size_t size() const { return hosts_.size(); }
  [[nodiscard]] const HostTable& hosts() const { return hosts_; }
  [[nodiscard]] std::span<const RunningSpot> spots_on(HostIndex host) const {
    return spots_.spots_on(host);
  }

  /// `spots`: oldest placement first; spec.spot_used and num_spots are set from them.
  ///
  /// Errors: ConfigError when an amount, or what the spots hold together, is out of range; then the
  /// host is as it was.
  void set_host(HostIndex host, HostSpec spec, std::vector<RunningSpot> spots);

  /// Which of `rows` can take the request beside what `sees` says.
  [[nodiscard]] std::vector<std::uint8_t> fits(std::span<const HostIndex> rows,
                                               const Request& request, Sees sees) const;

 private:
  HostTable hosts_;
  SpotLists spots_;
};

}  // namespace cospot
