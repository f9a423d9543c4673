#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/provider/provider_hosts.hpp"
#include "sim_harness/engine/allocation_timer.hpp"
#include "sim_harness/engine/allocator.hpp"
#include "sim_harness/engine/event_schedule.hpp"
#include "sim_harness/engine/life_observer.hpp"
#include "sim_harness/engine/life_queue.hpp"
#include "sim_harness/engine/life_result.hpp"
#include "sim_harness/interrupt/stop_token.hpp"
#include "sim_harness/life/life_plan.hpp"

namespace cospot {

/// One run in which requests ask again, spots return, VMs are resized, and hosts fail or are
/// maintained (docs/semantics.md, "Life of requests"). With a plan in which nothing happens it
/// gives what SimulationEngine gives, which has its events sorted beforehand and is the faster one.
class LifeEngine {
 public:
  /// `schedule` and `plan`, which is for these hosts and rows, outlive the engine.
  LifeEngine(const EventSchedule& schedule, HostTable hosts, Allocator allocator,
             const LifePlan& plan);

  /// Watches the run; nullptr stops.
  void set_observer(LifeObserver* observer) { observer_ = observer; }

  /// Processes all events. Throws Interrupted when the thread's StopToken asks.
  void run();

  /// Of a run that is over.
  [[nodiscard]] const LifeResult& result() const { return result_; }
  [[nodiscard]] const HostTable& hosts() const { return hosts_.table(); }

 private:
  enum class Stage : std::uint8_t { kAhead, kRunning, kWaiting, kEnded, kGone };

  /// A row of the workload as the run has it by now.
  struct Instance {
    ResourceVector size{};
    SimTime since{0};     ///< running: from when on with this size
    SimTime ends_at{0};   ///< running: when it departs
    SimTime left{0};      ///< waiting: how long it will run; kNever: for ever
    SimTime asked_at{0};  ///< waiting: since when
    SimTime wait{0};      ///< waiting: until the next try
    std::uint32_t version = 0;
    Stage stage = Stage::kAhead;
    bool is_spot = false;
    bool was_placed = false;
  };

  void add_requested_by_resizes();
  void plan_outages_and_resizes();
  void plan(const Due& due);
  void happen(const Due& due);

  void arrive(const ScheduledEvent& event);
  void depart(InstanceIndex instance);
  void retry(InstanceIndex instance);
  void drain(const Outage& outage);
  void go_down(const Outage& outage);
  void come_back(const Outage& outage);
  void evacuate(InstanceIndex instance);
  void migrate(InstanceIndex instance);
  void resize(const Resize& resize);
  void resize_elsewhere(const Resize& resize);

  [[nodiscard]] Request request_of(InstanceIndex instance) const;
  [[nodiscard]] bool try_to_place(InstanceIndex instance);
  [[nodiscard]] HostIndex room_for_vm(const Request& request);
  void evict(HostIndex host, std::span<const InstanceIndex> victims, const Request& for_vm);
  void start(InstanceIndex instance, HostIndex host, const Request& request);
  void stop_spot(InstanceIndex instance);
  void wait_or_give_up(InstanceIndex instance);
  void begin_waiting(InstanceIndex instance, SimTime left);
  void give_up(InstanceIndex instance);
  void move_vm(InstanceIndex instance, HostIndex from, HostIndex to);
  void forget_vm(InstanceIndex instance, HostIndex host);
  void pay(Instance& instance, SimTime until);
  void settle();

  [[nodiscard]] bool is_current(const Due& due, Stage stage) const {
    const Instance& instance = instances_[due.subject];
    return instance.stage == stage && instance.version == due.version;
  }
  [[nodiscard]] const Backoff& rule_of(const Instance& instance) const {
    return instance.is_spot && instance.was_placed ? plan_->returning_spots : plan_->retries;
  }
  [[nodiscard]] bool may_ask_again(const Instance& instance) const {
    const Backoff& rule = rule_of(instance);
    return rule.patience > SimTime{0} && (instance.is_spot ? rule.spots : rule.vms);
  }
  void tell(LifeEventKind kind, InstanceIndex instance, HostIndex host, ResourceVector size = {}) {
    if (observer_ != nullptr) observer_->happened({now_, kind, instance, host, size});
  }

  const EventSchedule* schedule_;
  const LifePlan* plan_;
  ProviderHosts hosts_;
  std::vector<std::vector<InstanceIndex>> vms_on_;  // of each host, in the order in which they came
  std::vector<Instance> instances_;                 // by row
  LifeQueue queue_;
  SimTime now_ = SimTime::min();
  std::uint32_t moves_ = 0;  // evacuations and migrations so far, which keep their order
  LifeObserver* observer_ = nullptr;
  StopToken stop_ = current_stop_token();
  AllocationTimer timer_;
  LifeResult result_;
  Revenue first_hour_revenue_ = 0;
};

}  // namespace cospot
