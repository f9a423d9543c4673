#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "core/provider/provider_hosts.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/base/text/terminal_meter.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

/// Asks, for one number of hosts after the other, whether a run of the VMs alone rejects any: what
/// SimulationEngine answers too, but a run takes from the one before it what both have in common.
///
/// Hosts that were added come last and are idle. While another host is idle too, an added one wins
/// no VM: it stands equal to that one in every ranking, and ties go to the lowest index. When none
/// is, the ranking says whether an idle host would win; with policies that prefer used hosts it
/// never does. So the larger datacenter's run begins with the smaller one's, up to where an idle
/// host would have won or, if that never happened, up to the rejection. Of several kinds of hosts
/// this holds for each kind that is added.
class VmPacking {
 public:
  /// `vms` is a schedule of VMs only, each of which fits a host; it outlives the packing.
  VmPacking(const EventSchedule& vms, const HostMix& host, const ChainSpec& vm);

  /// Tells whether a datacenter of so many hosts rejects no VM; more than in the call before.
  /// Throws Interrupted when the thread's StopToken asks.
  [[nodiscard]] bool fits(std::size_t hosts, TerminalMeter& meter);

  /// After a size that does not fit: the VM that finds no host in any larger datacenter either,
  /// because hosts of every kind that is added were idle all the time.
  [[nodiscard]] std::optional<InstanceIndex> never_fits() const { return never_fits_; }

 private:
  /// How far a run is: where its VMs are before the event at `position`.
  struct State {
    std::vector<HostIndex> host_of;  ///< of each row; kNoHost when it does not run
    std::size_t position = 0;
  };

  void fill_hosts(std::size_t count);
  void place(HostIndex host, const ScheduledEvent& event);
  void depart(const ScheduledEvent& event);
  [[nodiscard]] bool arrive(const ScheduledEvent& event);
  [[nodiscard]] bool added_host_may_win(HostIndex chosen, const Request& request);
  [[nodiscard]] bool idle_host_would_win(HostIndex chosen, std::size_t kind,
                                         const Request& request);
  [[nodiscard]] bool every_added_kind_is_idle() const;

  const EventSchedule& vms_;
  HostMix host_;
  std::shared_ptr<const Chain> chain_;
  bool compares_two_hosts_;  ///< whether two hosts alone stand to each other as among all
  State state_;
  std::optional<State> parting_;  ///< where a run with more hosts would go another way

  std::optional<ProviderHosts> hosts_;
  std::vector<std::uint32_t> kind_of_;  ///< of each host
  HostView view_;
  std::vector<std::size_t> idle_;  ///< hosts without a VM, by kind
  std::optional<InstanceIndex> never_fits_;
  bool is_compiled_;
  std::size_t end_ = 0;
  std::vector<HostTable> pairs_;  ///< by kind: a chosen host and an idle one of the kind
  ChainScratch scratch_;
  std::vector<RankedHost> ranked_;
};

}  // namespace cospot
