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

/// What a run has beyond its policies and hosts, as a user states it; all of it combines.
struct ProviderParts {
  LifeSettings life{};
  std::optional<SchedulerSettings> schedulers{};
  std::vector<std::uint8_t> level_of{};  ///< of each row; empty: VMs and spots
  std::optional<LooseRanking> loose{};
  std::optional<ReserveSettings> reserve{};
  /// Forecasts beside those that the spot chain needs.
  std::vector<std::unique_ptr<ForecastOwner>> forecasts{};
  std::shared_ptr<RunObserver> observer{};  ///< null: nobody watches
  bool keeps_days = false;                  ///< SimulationParts
};

/// One run of a provider's datacenter with all that it needs: its policies, its plan of what
/// happens to requests and hosts, its forecasts. Every study and command that runs one makes one of
/// these.
class ProviderRun {
 public:
  /// `workload` and `schedule`, which is that of the workload, outlive it.
  ///
  /// Errors: WorkloadError as make_life_plan; ConfigError for an unknown policy, and as
  /// make_spot_forecasts.
  ProviderRun(const Workload& workload, const EventSchedule& schedule, const RunSettings& settings,
              HostTable hosts, ProviderParts parts = {});

  ProviderRun(const ProviderRun&) = delete;
  ProviderRun& operator=(const ProviderRun&) = delete;

  /// For observers, pauses and what became of each level.
  [[nodiscard]] SimulationEngine& engine() { return *engine_; }
  [[nodiscard]] const SimulationEngine& engine() const { return *engine_; }

  /// Runs to the end. Throws Interrupted when the thread's StopToken asks.
  void run();

  /// Of a run that is over, with the time that it took.
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
