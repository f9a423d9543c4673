#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/provider/provider_hosts.hpp"
#include "sim_harness/engine/event_schedule.hpp"
#include "sim_harness/schedulers/change_log.hpp"
#include "sim_harness/schedulers/scheduler_settings.hpp"

namespace cospot {

/// The datacenter as it is, to which schedulers commit what they decided on views of it.
///
/// What a commit evicts is always the evictor's plan for the host as it then is: the decision's own
/// where the host has not changed since, else, if the rule lets it pass at all, a new one. So no
/// spot goes for a VM that is declined, and none for room that is there by now.
class TrueDatacenter {
 public:
  /// `schedule` outlives it.
  TrueDatacenter(const EventSchedule& schedule, const HostTable& hosts, const Allocator& allocator,
                 CommitRule rule);

  /// Carries out a choice for `request`, which is made now. Returns false, with nothing done, when
  /// it is declined.
  [[nodiscard]] bool commit(const Choice& choice, const Request& request);

  /// The spots that the last commit evicted.
  [[nodiscard]] std::span<const RunningSpot> victims() const { return victims_; }
  /// Whether it evicted them though the VM would have fitted beside all spots.
  [[nodiscard]] bool evicted_needlessly() const { return evicted_needlessly_; }

  /// Ends an instance. Returns its host; nothing when it does not run.
  std::optional<HostIndex> depart(const ScheduledEvent& departure, SimTime time);

  /// Tells whether some host passes the filters for a request now.
  [[nodiscard]] bool has_host_for(Request request);

  [[nodiscard]] const ChangeLog& log() const { return log_; }
  /// Forgets the changes that everybody else knows.
  void forget_before(std::uint64_t known) { log_.forget_before(known); }

 private:
  [[nodiscard]] std::optional<Choice> accepted(const Choice& choice, const Request& request);
  [[nodiscard]] bool passes(HostIndex host, Request request);
  void carry_out(const Choice& choice, const Request& request);

  const EventSchedule* schedule_;
  CommitRule rule_;
  ProviderHosts hosts_;
  ChangeLog log_;
  std::vector<RunningSpot> victims_;
  bool evicted_needlessly_ = false;
  ChainScratch scratch_;
  std::vector<RankedHost> ranked_;
};

}  // namespace cospot
