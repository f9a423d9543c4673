#pragma once

#include <cstdint>
#include <vector>

#include "core/provider/provider_hosts.hpp"
#include "sim_harness/provider/schedulers/change_log.hpp"

namespace cospot {

/// What one scheduler knows of the datacenter: the state after some of its changes, for each host a
/// prefix of that host's. The generation of a host is that of the datacenter exactly where all of
/// the host's changes are known. To learn costs in proportion to what changed, not to the hosts.
class SchedulerView {
 public:
  /// A view of a datacenter without instances; `placements` as nobody is placed. The log outlives
  /// it.
  SchedulerView(const ProviderHosts& datacenter, const Placements& placements,
                const ChangeLog& log);

  SchedulerView(const SchedulerView&) = delete;
  SchedulerView& operator=(const SchedulerView&) = delete;

  /// Learns of all changes before a time.
  void learn_before(SimTime time);
  /// Learns of all changes there were.
  void learn_all();
  /// Learns of all changes of one host.
  void learn_host(HostIndex host);

  /// As this view knows them.
  [[nodiscard]] ProviderHosts& hosts() { return hosts_; }
  /// How many changes of the log are known of all hosts.
  [[nodiscard]] std::uint64_t known() const { return known_; }

 private:
  void learn_next();
  void apply(const HostChange& change);

  const ChangeLog* log_;
  ProviderHosts hosts_;
  std::uint64_t known_ = 0;
  std::vector<std::uint64_t> known_of_;   // of each host: changes known, if more than known_
  std::vector<std::uint64_t> positions_;  // scratch
};

}  // namespace cospot
