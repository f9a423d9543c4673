#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/policy/forecasts.hpp"
#include "guarantees/economy/economy_promise.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/run/forecast_owner.hpp"

namespace cospot {

/// The priority levels of a datacenter with an Economy class.
enum class Level : std::uint8_t { kVm, kEconomy, kSpot };
inline constexpr std::size_t kLevels = 3;

/// The level of each row, with a random `percent` of the spots as economy instances.
[[nodiscard]] std::vector<std::uint8_t> levels_of(const Workload& workload, double percent,
                                                  std::uint64_t seed);

/// The amount promised to the Economy class from a time on.
struct PromiseStep {
  SimTime from{0};
  std::int64_t vcpus = 0;
  std::int64_t memory_mb = 0;
  SimTime until = kNever;  ///< the end of the promised time
};

/// Tells the policies how much is promised to the Economy class and how much of it is in use.
class PromiseOwner final : public ForecastOwner {
 public:
  /// Args: steps: by time. workload: outlives it. level_of: of each row.
  PromiseOwner(std::vector<PromiseStep> steps, const Workload& workload,
               std::vector<std::uint8_t> level_of);

  [[nodiscard]] SimTime next_refresh() const override;
  void refresh() override;
  [[nodiscard]] const Forecasts& forecasts() const override { return forecasts_; }

  void placed(const Request& request, HostIndex host) override;
  void evicted(InstanceIndex victim, HostIndex host, const Request& for_vm) override;
  void departed(InstanceIndex instance, HostIndex host, SimTime time) override;

 private:
  void use(InstanceIndex instance, std::int64_t sign);

  std::vector<PromiseStep> steps_;
  const Workload* workload_;
  std::vector<std::uint8_t> level_of_;
  std::size_t next_ = 0;
  EconomyPromise promise_;
  Forecasts forecasts_;
};

}  // namespace cospot
