#pragma once

#include <cstdint>
#include <vector>

#include "core/provider/provider_hosts.hpp"
#include "sim_harness/provider/schedulers/change_log.hpp"

namespace cospot {

/// One scheduler's knowledge of the datacenter: for each host, the state after a prefix of its
/// changes. A host's generation equals the datacenter's exactly if all of its changes are known.
/// The cost of an update is proportional to the number of changes, not of hosts.
class SchedulerView {
 public:
  /// A view of a datacenter without instances; `placements` has nothing placed. The log outlives
  /// it.
  SchedulerView(const ProviderHosts& datacenter, const Placements& placements,
                const ChangeLog& log);

  SchedulerView(const SchedulerView&) = delete;
  SchedulerView& operator=(const SchedulerView&) = delete;

  /// Applies all changes before a time.
  void learn_before(SimTime time);
  /// Applies all changes so far.
  void learn_all();
  /// Applies all changes of one host.
  void learn_host(HostIndex host);

  /// The hosts as this view knows them.
  [[nodiscard]] ProviderHosts& hosts() { return hosts_; }
  /// The number of changes in the log that are known for all hosts.
  [[nodiscard]] std::uint64_t known() const { return known_; }

 private:
  void learn_next();
  void apply(const HostChange& change);

  const ChangeLog* log_;
  ProviderHosts hosts_;
  std::uint64_t known_ = 0;
  std::vector<std::uint64_t> known_of_;   // per host: known changes, if more than known_
  std::vector<std::uint64_t> positions_;  // scratch
};

}  // namespace cospot
