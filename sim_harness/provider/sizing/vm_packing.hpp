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

/// Answers for one number of hosts after another whether a run of the VMs alone rejects any.
/// SimulationEngine can answer this too, but here a run reuses what it has in common with the
/// previous one.
///
/// Added hosts come last and are idle. While another host is idle too, an added one wins no VM: it
/// ranks equal to that host, and ties go to the lowest index. If none is idle, the ranking decides
/// whether an idle host would win; with policies that prefer used hosts it never does. So the run
/// of the larger datacenter begins like that of the smaller one, up to the point where an idle host
/// would have won, or else up to the rejection. With several kinds of hosts, this holds for each
/// kind that is added.
class VmPacking {
 public:
  /// `vms` is a schedule of VMs only, each of which fits a host; it outlives the object.
  VmPacking(const EventSchedule& vms, const HostMix& host, const ChainSpec& vm);

  /// Tells whether a datacenter of this many hosts, more than in the previous call, rejects no VM.
  /// Throws Interrupted when the thread's StopToken requests it.
  [[nodiscard]] bool fits(std::size_t hosts, TerminalMeter& meter);

  /// After a size that does not fit: the VM that fits no larger datacenter either, because hosts of
  /// every kind that is added were idle all the time.
  [[nodiscard]] std::optional<InstanceIndex> never_fits() const { return never_fits_; }

 private:
  /// The state of a run: the VMs' hosts before the event at `position`.
  struct State {
    std::vector<HostIndex> host_of;  ///< per row; kNoHost while it does not run
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
  bool compares_two_hosts_;  ///< whether the order of two hosts does not depend on other hosts
  State state_;
  std::optional<State> parting_;  ///< where a run with more hosts would diverge

  std::optional<ProviderHosts> hosts_;
  std::vector<std::uint32_t> kind_of_;  ///< per host
  HostView view_;
  std::vector<std::size_t> idle_;  ///< hosts without a VM, by kind
  std::optional<InstanceIndex> never_fits_;
  bool is_compiled_;
  std::size_t end_ = 0;
  std::vector<HostTable> pairs_;  ///< by kind: a chosen host and an idle host of that kind
  ChainScratch scratch_;
  std::vector<RankedHost> ranked_;
};

}  // namespace cospot
