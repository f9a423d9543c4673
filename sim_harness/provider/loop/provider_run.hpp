#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/model/host_table.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/disruptions/life_settings.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/run/forecast_owner.hpp"
#include "sim_harness/provider/run/run_observer.hpp"
#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

/// The optional parts of a run besides its policies and hosts, as users state them; they combine
/// freely.
struct ProviderParts {
  LifeSettings life{};
  std::optional<SchedulerSettings> schedulers{};
  std::vector<std::uint8_t> level_of{};  ///< priority level of each row; empty: VMs and spots
  std::optional<LooseRanking> loose{};
  std::optional<ReserveSettings> reserve{};
  /// Forecasts in addition to those that the spot chain needs.
  std::vector<std::unique_ptr<ForecastOwner>> forecasts{};
  std::shared_ptr<RunObserver> observer{};  ///< null: no observer
  bool keeps_days = false;                  ///< see SimulationParts
};

/// One run of a provider's datacenter with everything it needs: policies, disruptions and
/// forecasts. Every study and command that simulates a provider uses it.
class ProviderRun {
 public:
  /// `workload` and `schedule` (made from it) outlive the run.
  ///
  /// Errors: WorkloadError as make_life_plan; ConfigError for an unknown policy and as
  /// make_spot_forecasts.
  ProviderRun(const Workload& workload, const EventSchedule& schedule, const RunSettings& settings,
              HostTable hosts, ProviderParts parts = {});

  ProviderRun(const ProviderRun&) = delete;
  ProviderRun& operator=(const ProviderRun&) = delete;

  /// Gives access to observers, pauses and the outcome of each level.
  [[nodiscard]] SimulationEngine& engine() { return *engine_; }
  [[nodiscard]] const SimulationEngine& engine() const { return *engine_; }

  /// Runs to the end. Throws Interrupted when the thread's StopToken requests it.
  void run();

  /// Requires a finished run. Includes the wall time.
  [[nodiscard]] LifeResult result() const;
  [[nodiscard]] ForecastRefreshes refreshes() const;

 private:
  ProviderParts parts_;
  LifePlan plan_;
  std::vector<std::uint32_t> tenants_;
  std::unique_ptr<SimulationEngine> engine_;
  std::unique_ptr<ForecastOwner> forecasts_;
  double wall_ms_ = 0;
};

}  // namespace cospot
