#pragma once

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

#include "bindings/hosts.hpp"
#include "bindings/run_arguments.hpp"
#include "bindings/workloads.hpp"
#include "sim_harness/provider/explain/event_log.hpp"
#include "sim_harness/provider/forecasts/spot_forecasts.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"

namespace cospot::bindings {

/// The workload's own schedule, or where hosts are kept for tenants one that says whose a request
/// is. Errors: ConfigError when a request asks for what no host can give.
[[nodiscard]] std::shared_ptr<const EventSchedule> schedule_of(const PythonWorkload& workload,
                                                               const RunSettings& settings);

/// A run that Python stops and looks at as it goes: Simulation in Python. Called with Python's
/// lock, which it releases while events are processed.
///
/// Errors: std::runtime_error when it is used while it runs, by another thread or by a policy, or
/// after a policy ended it.
class LiveSimulation {
 public:
  LiveSimulation(PythonWorkload workload, PreparedRun run);

  /// Processes the events before `time`; kNever: all. A Python signal handler that raises stops it
  /// between two events.
  void run_until(SimTime time);

  /// Processes events until some are logged, or all are done, and returns their rows of the event
  /// log, without its header line.
  [[nodiscard]] std::string next_events();
  /// The same until `pause` is due, whose time is kNever. Decisions may then be made in the engine.
  RunPause run_to(const PauseAt& pause);
  [[nodiscard]] SimulationEngine& engine() { return engine_; }
  [[nodiscard]] const EventSchedule& schedule() const { return *schedule_; }

  /// The requests, earnings and losses until now; of a finished run, in its whole window.
  [[nodiscard]] RunResult result() const;
  [[nodiscard]] const HostColumns& hosts() const { return hosts_; }
  [[nodiscard]] std::vector<RunningSpot> spots_on(HostIndex host) const;
  [[nodiscard]] HostIndex host_of(InstanceIndex instance) const;
  [[nodiscard]] bool is_finished() const;
  [[nodiscard]] SimTime now() const { return now_; }
  [[nodiscard]] const Workload& workload() const { return workload_.workload(); }

  /// Why the request in row `instance` gets the host it gets; runs until it arrives, and on.
  [[nodiscard]] std::string explain(InstanceIndex instance, bool all_hosts);

  /// Watches from now on; nullptr: no one.
  void set_observer(RunObserver* observer);
  [[nodiscard]] const HostTable& host_table() const { return engine_.hosts(); }

 private:
  /// Marks the simulation as running, with Python's lock.
  class Running;

  [[nodiscard]] SimTime slice_end(std::size_t events) const;
  RunPause run_slices(PauseAt due);
  void require_idle() const;
  /// The time of the last processed event, or until which none was left.
  [[nodiscard]] SimTime reached() const;

  PythonWorkload workload_;
  RunSettings settings_;
  std::shared_ptr<const EventSchedule> schedule_;
  RunObserver no_observer_;  // an engine that is watched plays the last departures too
  RunObserver* observer_ = nullptr;
  std::unique_ptr<EventLog> log_;  // null: next_events() was not called
  SimulationEngine engine_;
  std::unique_ptr<ForecastOwner> forecast_;  // null: no policy needs one
  HostColumns hosts_;
  SimTime now_;
  bool is_running_ = false;  // guarded by Python's lock
  bool is_broken_ = false;   // while an event is processed, and after one threw
};

}  // namespace cospot::bindings
