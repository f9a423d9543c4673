#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/customer/broker/broker_simulation.hpp"
#include "sim_harness/customer/broker/event_queue.hpp"
#include "sim_harness/customer/broker/market_choice.hpp"

namespace cospot {

/// No task.
inline constexpr std::int32_t kNoTask = -1;

/// The state of an instance.
enum class Phase : std::uint8_t { kBoot, kRestore, kRun, kSave, kIdle, kSuspended, kEnded };

/// Leases by their remaining seconds, or tasks by their run time.
using Ordered = std::set<std::pair<Seconds, std::int32_t>>;

/// A part of the current, unfinished hour.
struct Slice {
  std::int32_t task = kNoTask;  ///< whose work it is
  Phase phase = Phase::kIdle;
  bool saved = false;  ///< a snapshot holds the work
  Seconds seconds = 0;
};

/// An instance leased by the broker: a fulfilled request.
struct Lease {
  std::uint32_t market = kNoMarket;
  bool on_demand = false;
  MicroUsd bid = 0;
  Seconds begin = 0;             ///< start of the instance; reset when it resumes
  Seconds hour_end = 0;          ///< end of the current hour
  Seconds out_of_bid = kNoTime;  ///< when it will be revoked
  MicroUsd hour_amount = 0;      ///< price of the current hour

  Phase phase = Phase::kBoot;
  Seconds phase_begin = 0;
  Seconds phase_end = kNoTime;
  Seconds save_at = kNoTime;

  /// The running task, or the one that starts once the instance is ready.
  std::int32_t task = kNoTask;
  std::vector<std::int32_t> queue;  ///< tasks to run next
  Seconds expected_free = 0;        ///< when all of these are expected to be done
  Seconds queued = 0;               ///< expected run time of the queue
  Ordered* index = nullptr;         ///< the index in which decisions find it
  Ordered::iterator in_index;
  bool was_changed = false;  ///< it may have more free time than at the last decision
  std::vector<Slice> slices;
  std::uint32_t version = 0;     ///< of its next event in the event queue
  Seconds next_event = kNoTime;  ///< time of that event

  [[nodiscard]] bool is_alive() const {
    return phase != Phase::kSuspended && phase != Phase::kEnded;
  }
};

/// The execution state of a job or of its replica.
struct Task {
  enum class State : std::uint8_t { kWaiting, kAssigned, kDone, kCancelled };

  std::int32_t job = 0;
  std::int32_t sibling = kNoTask;  ///< the job's other task
  State state = State::kWaiting;
  std::int32_t lease = -1;
  std::uint32_t type = 0;        ///< the type on which `done` and `saved` are counted
  Seconds done = 0;              ///< run so far
  Seconds saved = 0;             ///< the part of `done` that a snapshot holds
  std::uint32_t datacenter = 0;  ///< where the snapshot is stored
  Seconds paid_saved = 0, paid_unsaved = 0;
  std::uint32_t preferred = 0;               ///< type
  bool is_listed = false;                    ///< is in the waiting lists
  std::uint32_t pending_market = kNoMarket;  ///< of a request that is not in bid yet
  MicroUsd pending_bid = 0;
  std::uint32_t version = 0;  ///< incremented when the task waits for something else
};

/// One run of the broker's simulation. Each object runs once.
///
/// Events move instances, at whole seconds; the broker decides at multiples of its interval, and
/// only when something has changed. To avoid a scan of all instances and jobs per decision,
/// instances are ordered by their remaining paid time and waiting jobs by their run time.
class BrokerRun {
 public:
  BrokerRun(const MarketSet& markets, std::span<const BrokerJob> jobs,
            const BrokerSettings& settings, BrokerObserver* observer);

  BrokerResult run();

 private:
  using Event = BrokerEvent;

  // Decisions (broker_run.cpp).
  void wake(const Event& event);
  void decide(Seconds now);
  void offer_leases(Seconds now);
  void fill_lease(std::int32_t lease, Seconds now);
  void submit_jobs(Seconds now);
  void learn(std::int64_t user, double work);
  [[nodiscard]] double expected_work(const BrokerJob& job) const;
  void expect(const BrokerJob& job);
  void place(std::int32_t task, Seconds now);
  bool reuse(std::int32_t task, Seconds now);
  void provision(std::int32_t task, Seconds now);
  bool extend(std::int32_t task, std::uint32_t market, bool on_demand, Seconds now);
  void request(std::int32_t task, std::uint32_t market, MicroUsd bid, Seconds now);
  void wait(std::int32_t task, Seconds check_again);
  void stop_waiting(std::int32_t task);
  /// The expected run time of a task, by type.
  [[nodiscard]] std::span<const Seconds> expected(std::int32_t task) const {
    const std::size_t types = markets_.types.size();
    return std::span(expected_).subspan(static_cast<std::size_t>(task) * types, types);
  }
  [[nodiscard]] Seconds expected(std::int32_t task, std::uint32_t type) const {
    return expected(task)[type];
  }
  [[nodiscard]] Seconds latest_start(std::int32_t task) const;
  [[nodiscard]] bool is_assigned(std::int32_t task, std::int32_t lease) const {
    const Task& one = tasks_[static_cast<std::size_t>(task)];
    return one.state == Task::State::kAssigned && one.lease == lease;
  }
  [[nodiscard]] std::uint32_t avoided_market(const Task& task) const;
  [[nodiscard]] std::uint32_t choose_market(std::int32_t task, bool on_demand, Seconds now) const;
  void want_decision(Seconds time);

  // Leases (lease_events.cpp).
  std::int32_t start_lease(std::uint32_t market, bool on_demand, MicroUsd bid, std::int32_t task,
                           Seconds now);
  void begin_instance(std::int32_t lease, Seconds now);
  [[nodiscard]] double needs(std::int32_t task, std::uint32_t market) const;
  void assign(std::int32_t lease, std::int32_t task, Seconds now);
  void advance(std::int32_t lease, Seconds now);
  void end_phase(std::int32_t lease, Seconds now);
  void start_task(std::int32_t lease, Seconds now);
  void next_task(std::int32_t lease, Seconds now);
  void plan_snapshot(Lease& lease, Seconds now) const;
  void begin_save(std::int32_t lease, Seconds now);
  void mark_saved(Lease& lease);
  void complete(std::int32_t lease, Seconds now);
  void cancel(std::int32_t task, Seconds now);
  void end_hour(std::int32_t lease, Seconds now);
  void revoke(std::int32_t lease, Seconds now);
  void save_within_notice(Lease& lease);
  void return_queue(std::int32_t lease, Seconds now);
  void leave_queue(std::int32_t task, Seconds now);
  void recover(std::int32_t lease, Seconds now);
  void migrate(std::int32_t task, std::uint32_t from, Seconds now);
  void give_back(std::int32_t task, Seconds now);
  void resume(std::int32_t lease, Seconds now);
  void open_hour(std::int32_t lease, Seconds now);
  void close_slice(Lease& lease, Seconds now);
  void close_slices(Lease& lease, bool paid);
  void end_lease(std::int32_t lease, Seconds now, bool by_provider);
  void pay_by_second(std::int32_t lease, Seconds now);
  void index(std::int32_t lease, Seconds now);
  void unindex(std::int32_t lease);
  void changed(std::int32_t lease, Seconds now);
  void schedule(std::int32_t lease);
  [[nodiscard]] Seconds save_seconds(const Lease& lease) const;
  [[nodiscard]] double snapshot_mb(const Task& task, const InstanceType& type) const;
  [[nodiscard]] Seconds run_seconds(const Task& task, std::uint32_t type) const;
  void log(Seconds now, std::string_view what, std::int32_t lease, std::int64_t job = -1,
           MicroUsd amount = 0) const;

  [[nodiscard]] Lease& lease_at(std::int32_t id) { return leases_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] Task& task_at(std::int32_t id) { return tasks_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const BrokerJob& job_of(const Task& task) const {
    return jobs_[static_cast<std::size_t>(task.job)];
  }
  [[nodiscard]] const Market& market_of(const Lease& lease) const {
    return markets_.markets[lease.market];
  }
  [[nodiscard]] const InstanceType& type_of(const Lease& lease) const {
    return markets_.types[market_of(lease).type];
  }
  [[nodiscard]] Seconds price_hour(const Lease& lease, Seconds now) const {
    return lease.on_demand ? type_of(lease).on_demand_price
                           : market_of(lease).prices.charged_at(now);
  }

  const MarketSet& markets_;
  std::span<const BrokerJob> jobs_;
  const BrokerSettings settings_;
  BrokerObserver* observer_;
  BrokerResult result_;
  StopPoll poll_;

  std::deque<Lease> leases_;
  std::vector<Task> tasks_;  ///< never grows beyond its reserved capacity
  std::size_t next_job_ = 0;
  std::vector<std::int32_t> returned_;  ///< tasks returned to the list since the last decision
  std::vector<std::int32_t> changed_;   ///< leases with more free time than at the last decision
  std::vector<std::int32_t> due_;       ///< tasks whose waiting time is over
  BrokerEventQueue events_;
  Seconds next_decision_ = kNoTime;
  Seconds last_price_change_ = 0;  ///< no price changes after this time

  std::vector<Ordered> idle_;  ///< by type: idle leases by the end of their paid hour
  /// By type: running leases by the paid time left after their tasks.
  std::vector<Ordered> busy_;
  std::vector<Ordered> waiting_;  ///< by type: waiting tasks by their expected run time on it
  std::vector<std::uint32_t> leases_in_;                         ///< by market
  std::map<std::int64_t, std::pair<double, double>> last_work_;  ///< of each user's last two jobs
  std::vector<Seconds> expected_;                                ///< of all tasks; see expected()
};

}  // namespace cospot
