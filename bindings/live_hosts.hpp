#pragma once

#include <pybind11/pybind11.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bindings/policy_entries.hpp"
#include "core/handshake/offer.hpp"
#include "core/model/host_table.hpp"
#include "core/policy/evictor.hpp"

namespace cospot::bindings {

/// What an evictor would do on the host it prefers; victims are positions in the host's spots.
struct HostChoice {
  HostIndex host = kNoHost;
  std::vector<std::uint32_t> victims;
  double score = 0;
};

/// The hosts of a cloud that runs, as its scheduler last saw them: LiveHosts in Python.
///
/// Unlike a Datacenter it does not know what every change was: a host is replaced as a whole, may
/// be overcommitted, and only some of the hosts are candidates for a request. A lock of its own,
/// which is never waited for with the interpreter's lock held, lets threads share it.
class LiveHosts {
 public:
  /// Hosts of these names that have no room for anything.
  explicit LiveHosts(const std::vector<std::string>& names);

  [[nodiscard]] std::size_t size() const { return hosts_->size(); }
  [[nodiscard]] const std::shared_ptr<HostTable>& hosts() const { return hosts_; }

  /// `spots`: oldest placement first; spec.spot_used and num_spots are set from them.
  ///
  /// Errors: ConfigError when an amount, or what the spots hold together, is out of range.
  void set_host(HostIndex host, HostSpec spec, std::vector<RunningSpot> spots);

  /// The feasible ones of `rows`, the best first. `rows` ascend.
  [[nodiscard]] std::vector<HostIndex> rank(std::span<const HostIndex> rows, const Chain& chain,
                                            const Request& request) const;

  /// The handshake's answer to an offer of `rows`, the best first.
  [[nodiscard]] HostChoice choose(std::span<const HostIndex> rows, const Evictor& evictor,
                                  const Request& request) const;

  /// Which of `rows` have room for the request beside what `sees` says.
  [[nodiscard]] std::vector<std::uint8_t> has_room(std::span<const HostIndex> rows,
                                                   const Request& request, Sees sees) const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<HostTable> hosts_;
  std::vector<std::vector<RunningSpot>> spots_on_;
};

}  // namespace cospot::bindings
