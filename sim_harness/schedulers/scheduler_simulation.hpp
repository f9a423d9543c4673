#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "core/random.hpp"
#include "sim_harness/engine/allocator.hpp"
#include "sim_harness/engine/event_schedule.hpp"
#include "sim_harness/engine/run_observer.hpp"
#include "sim_harness/interrupt/stop_token.hpp"
#include "sim_harness/schedulers/scheduler_result.hpp"
#include "sim_harness/schedulers/scheduler_settings.hpp"
#include "sim_harness/schedulers/scheduler_view.hpp"
#include "sim_harness/schedulers/true_datacenter.hpp"
#include "sim_harness/workloads/workload.hpp"

namespace cospot {

/// Numbers the tenants of a workload's rows in the order in which they appear.
[[nodiscard]] std::vector<std::uint32_t> tenant_numbers(const Workload& workload);

/// One run of several schedulers over one datacenter. Each takes the requests that are dealt to it
/// one by one, in the order of their arrival, decides on its view of the datacenter, by the
/// handshake, and commits to the true one, which may decline. The rules and
/// their reasons: docs/semantics.md ("Several schedulers"). One scheduler that refreshes its view
/// for every decision and takes no time gives what SimulationEngine gives.
class SchedulerSimulation {
 public:
  /// Args: schedule: outlives it. allocator: makes no use of forecasts. tenant_of: of each row;
  /// empty where requests are not dealt by it.
  SchedulerSimulation(const EventSchedule& schedule, const HostTable& hosts,
                      const Allocator& allocator, const SchedulerSettings& settings,
                      std::vector<std::uint32_t> tenant_of = {});

  /// Watches what becomes of instances.
  void set_observer(InstanceObserver* observer) { observer_ = observer; }

  /// Processes all events. Throws Interrupted when the thread's StopToken asks.
  void run();

  [[nodiscard]] const SchedulerResult& result() const { return result_; }

 private:
  /// A scheduler, those who wait for it, and the request it decides about.
  struct Scheduler {
    Scheduler(const EventSchedule& schedule, const HostTable& hosts, const Allocator& allocator,
              const ChangeLog& log, std::uint64_t seed)
        : view(schedule, hosts, allocator, log), random(seed) {}

    SchedulerView view;
    Random random;
    std::deque<ScheduledEvent> waiting;
    bool is_busy = false;
    ScheduledEvent arrival;  // of the request that is decided about
    SimTime begun{0};        // the decision, the last one if there were several
    std::size_t retries = 0;
    std::vector<HostIndex> declined;  // hosts to leave out
  };

  /// When a decision ends. All take as long, so that those who began first end first.
  struct PendingEnd {
    SimTime time{0};
    std::size_t scheduler = 0;
  };

  enum class After : std::uint8_t { kDone, kDecideAgain, kDecideLater };

  void process(const ScheduledEvent& event);
  void end_decisions(SimTime now, bool also_at_now);
  void begin_next(std::size_t number, SimTime now);
  void begin_decision(std::size_t number, SimTime now);
  void end_decision(std::size_t number, SimTime now);
  [[nodiscard]] After try_commit(Scheduler& scheduler, SimTime now);
  [[nodiscard]] After declined(Scheduler& scheduler, const Choice& choice, SimTime now);
  void refresh(Scheduler& scheduler, std::size_t number, SimTime now);
  [[nodiscard]] Choice decide(Scheduler& scheduler, const Request& request);
  [[nodiscard]] Request request_of(Scheduler& scheduler) const;
  [[nodiscard]] bool is_withdrawn(const ScheduledEvent& arrival, SimTime now) const;
  [[nodiscard]] ClassOutcome& outcome_of(const ScheduledEvent& event) {
    return event.is_spot() ? result_.spot : result_.vm;
  }
  void count_request(const ScheduledEvent& arrival);
  void place(const Choice& choice, const Request& request);
  void lose(const ScheduledEvent& arrival, std::uint64_t ClassOutcome::*count,
            Revenue ClassOutcome::*revenue);
  void lose_without_host(const Scheduler& scheduler, const Request& request);
  void forget_known_changes();

  const EventSchedule* schedule_;
  SchedulerSettings settings_;
  std::vector<std::uint32_t> tenant_of_;
  TrueDatacenter true_;
  std::vector<std::unique_ptr<Scheduler>> schedulers_;
  std::deque<PendingEnd> pending_;
  std::uint64_t arrivals_ = 0;
  std::int64_t delay_sum_us_ = 0;
  SimTime longest_delay_{0};
  SchedulerResult result_;
  InstanceObserver* observer_ = nullptr;
  StopToken stop_ = current_stop_token();
};

}  // namespace cospot
