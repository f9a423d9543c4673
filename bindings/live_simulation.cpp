#include "bindings/live_simulation.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>

#include "bindings/watched_work.hpp"
#include "core/errors.hpp"
#include "sim_harness/provider/explain/explain.hpp"
#include "sim_harness/provider/explain/explain_text.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sim_harness/provider/run/placement_checks.hpp"
#include "sim_harness/provider/run/prepared_evictor.hpp"

namespace cospot::bindings {

namespace py = pybind11;

namespace {

/// A run asks Python for signals every so often. In between it looks at the clock after some
/// events: as many as take a good part of that time, for a chain that scans millions of hosts one.
constexpr std::chrono::milliseconds kAskEvery{10};
constexpr std::size_t kMostEventsPerSlice = 256;

std::size_t next_slice(std::size_t events, std::chrono::steady_clock::duration took) {
  if (took > kAskEvery / 2) return std::max<std::size_t>(events / 2, 1);
  return took < kAskEvery / 8 ? std::min(events * 2, kMostEventsPerSlice) : events;
}

SimTime first_time(const EventSchedule& schedule) {
  return schedule.events.empty() ? SimTime(0) : schedule.start[schedule.events.front().instance];
}

/// Whoever predicts lifetimes knows the workload's spots.
Allocator allocator_of(const RunSettings& settings, const PythonWorkload& workload,
                       const EventSchedule& schedule) {
  Allocator allocator = make_allocator(settings, schedule.has_placements());
  allocator.evictor = prepared_evictor(allocator.evictor, workload.workload(), schedule);
  return allocator;
}

}  // namespace

std::shared_ptr<const EventSchedule> schedule_of(const PythonWorkload& workload,
                                                 const RunSettings& settings) {
  return watched([&] {
    const IsolatedTenants isolated = settings.host.isolated_tenants();
    const Workload& rows = workload.workload();
    std::shared_ptr<const EventSchedule> schedule(std::shared_ptr<void>(), &workload.schedule());
    if (!isolated.empty()) {
      schedule = std::make_shared<const EventSchedule>(
          make_schedule(rows, ScheduledClasses::kVmsAndSpots, isolated));
    }
    require_possible_placements(rows, *schedule, settings.host, settings.hosts);
    return schedule;
  });
}

class LiveSimulation::Running {
 public:
  explicit Running(LiveSimulation& simulation) : simulation_(&simulation) {
    simulation.require_idle();
    simulation.is_running_ = true;
  }
  ~Running() { simulation_->is_running_ = false; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  LiveSimulation* simulation_;
};

LiveSimulation::LiveSimulation(PythonWorkload workload, PreparedRun run)
    : workload_(std::move(workload)),
      settings_(std::move(run.settings)),
      schedule_(schedule_of(workload_, settings_)),
      engine_(*schedule_, std::move(run.hosts), allocator_of(settings_, workload_, *schedule_)),
      forecast_(make_spot_forecasts(*schedule_, engine_.hosts(), settings_.spot)),
      hosts_(kept_columns(engine_.hosts().view())),
      now_(first_time(*schedule_)) {
  engine_.set_forecasts(forecast_.get());
}

void LiveSimulation::require_idle() const {
  if (is_broken_ && !is_running_) {
    throw std::runtime_error("this Simulation was ended by an error in the middle of an event");
  }
  if (!is_running_) return;
  throw std::runtime_error(
      "this Simulation is running, in another thread or around the policy that is asked now");
}

void LiveSimulation::run_until(SimTime time) {
  const Running running(*this);
  RunPause pause = run_slices({.time = time});
  if (pause == RunPause::kFinished && !is_finished()) {
    // Only departures are left.
    engine_.set_observer(observer_ != nullptr ? observer_ : &no_observer_);
    pause = run_slices({.time = time});
    engine_.set_observer(observer_);
  }
  now_ = std::max(now_, time == kNever ? now_ : time);
}

std::string LiveSimulation::next_events() {
  require_idle();
  if (!log_) {
    log_ = std::make_unique<EventLog>(std::nullopt, workload(), engine_.hosts());
    (void)log_->take();  // the header line
  }
  std::string rows;
  set_observer(log_.get());
  try {
    while (rows.empty() && !is_finished()) {
      run_until(slice_end(kMostEventsPerSlice));
      rows = log_->take();
    }
  } catch (...) {
    set_observer(nullptr);
    throw;
  }
  set_observer(nullptr);
  return rows;
}

RunPause LiveSimulation::run_to(const PauseAt& pause) {
  const Running running(*this);
  return run_slices(pause);
}

SimTime LiveSimulation::slice_end(std::size_t events) const {
  const std::size_t last = schedule_->events.size() - 1;
  if (engine_.position() + events > last) return kNever;
  const ScheduledEvent& event = schedule_->events[engine_.position() + events];
  const SimTime time =
      event.is_departure() ? schedule_->end[event.instance] : schedule_->start[event.instance];
  return time + SimTime(1);  // so that every slice has an event
}

RunPause LiveSimulation::run_slices(PauseAt due) {
  using Clock = std::chrono::steady_clock;
  const SimTime until = due.time;
  std::size_t events = 1;
  while (!is_finished()) {
    RunPause pause = RunPause::kTime;
    {
      const py::gil_scoped_release unlocked;
      Clock::time_point now = Clock::now();
      const Clock::time_point ask_at = now + kAskEvery;
      is_broken_ = true;
      do {
        due.time = std::min(until, slice_end(events));
        pause = engine_.run(due);
        const Clock::time_point began = std::exchange(now, Clock::now());
        events = next_slice(events, now - began);
      } while (pause == RunPause::kTime && due.time != until && now < ask_at);
      is_broken_ = false;
    }
    if (pause != RunPause::kTime || due.time == until) return pause;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
  return RunPause::kFinished;
}

SimTime LiveSimulation::reached() const {
  const std::size_t done = engine_.position();
  if (done == 0) return now_;
  const ScheduledEvent& last = schedule_->events[done - 1];
  return std::max(
      now_, last.is_departure() ? schedule_->end[last.instance] : schedule_->start[last.instance]);
}

RunResult LiveSimulation::result() const {
  require_idle();
  RunResult result = engine_.result();
  if (is_finished()) return result;
  // The engine counts what is to come as if it were kept.
  const SimTime now = reached();
  for (std::size_t i = 0; i < schedule_->events.size(); ++i) {
    const ScheduledEvent event = schedule_->events[i];
    if (event.is_departure()) continue;
    const InstanceIndex instance = event.instance;
    const bool is_to_come = i >= engine_.position();
    const Revenue later =
        schedule_->revenue(schedule_->resources(event).vcpus,
                           std::max(now, schedule_->start[instance]), schedule_->end[instance]);
    const bool is_counted = is_to_come || engine_.host_of(instance) != kNoHost;
    const Revenue not_earned = is_counted ? later : Revenue{0};
    if (event.is_spot()) {
      result.spot_requests -= is_to_come ? 1 : 0;
      result.spot_admitted -= is_to_come ? 1 : 0;
      result.spot_revenue_requested -= later;
      result.spot_revenue -= not_earned;
      result.spot_revenue_first_hour_free -= not_earned;
    } else {
      result.vm_requests -= is_to_come ? 1 : 0;
      result.vm_revenue_requested -= later;
      result.vm_revenue -= not_earned;
    }
  }
  return result;
}

std::vector<RunningSpot> LiveSimulation::spots_on(HostIndex host) const {
  require_idle();
  const std::span<const RunningSpot> spots = engine_.spots_on(host);
  return {spots.begin(), spots.end()};
}

HostIndex LiveSimulation::host_of(InstanceIndex instance) const {
  require_idle();
  return engine_.host_of(instance);
}

bool LiveSimulation::is_finished() const { return engine_.position() == schedule_->events.size(); }

void LiveSimulation::set_observer(RunObserver* observer) {
  observer_ = observer;
  engine_.set_observer(observer);
}

std::string LiveSimulation::explain(InstanceIndex instance, bool all_hosts) {
  const Running running(*this);
  const py::gil_scoped_release unlocked;
  if (engine_.run({.arrival = instance}) != RunPause::kArrival) {
    throw std::logic_error("the run has no arrival of the request");
  }
  const Explanation explanation = explain_next(engine_, settings_);
  decide_as_explained(engine_, *schedule_, explanation, observer_);
  return explanation_text(explanation, workload_.workload(),
                          all_hosts ? ExplainDetail::kAllHosts : ExplainDetail::kBest,
                          workload_.unit());
}

}  // namespace cospot::bindings
