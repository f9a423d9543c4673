#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/model/host_table.hpp"
#include "core/model/instance_table.hpp"
#include "core/ranking/chain.hpp"
#include "core/ranking/host_ranking.hpp"
#include "sim_harness/engine/allocator.hpp"
#include "sim_harness/engine/event_schedule.hpp"
#include "sim_harness/engine/placements.hpp"
#include "sim_harness/schedulers/change_log.hpp"

namespace cospot {

/// A chain's order of the hosts of one view, told of changes when it is next asked.
class LateRanking {
 public:
  /// `chain` and `hosts` outlive it.
  LateRanking(const Chain& chain, const HostTable& hosts)
      : ranking_(chain.make_ranking(hosts)), is_stale_(hosts.size(), 0) {}

  void host_changed(HostIndex host, bool by_spot) {
    if (is_stale_[host] != 0 || (by_spot && !ranking_->sees_spots())) return;
    is_stale_[host] = 1;
    stale_.push_back(host);
  }

  /// Brought up to date.
  [[nodiscard]] HostRanking& current();

 private:
  std::unique_ptr<HostRanking> ranking_;
  std::vector<HostIndex> stale_;
  std::vector<std::uint8_t> is_stale_;  // of each host
};

/// What one scheduler knows of the datacenter: the state after some of its changes, for each host a
/// prefix of that host's. The generation of a host is that of the datacenter exactly where all of
/// the host's changes are known. To learn costs in proportion to what changed, not to the hosts.
class SchedulerView {
 public:
  /// A view of hosts without instances. All of them outlive it.
  SchedulerView(const EventSchedule& schedule, const HostTable& hosts, const Allocator& allocator,
                const ChangeLog& log);

  SchedulerView(const SchedulerView&) = delete;
  SchedulerView& operator=(const SchedulerView&) = delete;

  /// Learns of all changes before a time.
  void learn_before(SimTime time);
  /// Learns of all changes there were.
  void learn_all();
  /// Learns of all changes of one host.
  void learn_host(HostIndex host);

  [[nodiscard]] const HostTable& hosts() const { return hosts_; }
  [[nodiscard]] std::span<const RunningSpot> spots_on(HostIndex host) const {
    return spots_.spots_on(host);
  }
  /// What an instance asks beside room, with its group as this view knows it.
  [[nodiscard]] const Placement* placement_of(InstanceIndex instance) const {
    return placements_.empty() ? nullptr : placements_.of(instance);
  }
  /// The hosts in the order of the chain of such requests.
  [[nodiscard]] HostRanking& ranking_for(const Request& request) {
    return request.is_spot() ? spot_.current() : vm_.current();
  }
  /// How many changes of the log are known of all hosts.
  [[nodiscard]] std::uint64_t known() const { return known_; }

 private:
  void learn_next();
  void apply(const HostChange& change);

  const EventSchedule* schedule_;
  const ChangeLog* log_;
  HostTable hosts_;
  SpotLists spots_;
  Placements placements_;
  LateRanking vm_, spot_;
  std::uint64_t known_ = 0;
  std::vector<std::uint64_t> known_of_;   // of each host: changes known, if more than known_
  std::vector<std::uint64_t> positions_;  // scratch
};

}  // namespace cospot
