#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/policy/forecasts.hpp"
#include "guarantees/pricing/host_revocations.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/run/forecast_owner.hpp"
#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

/// The eviction rate of spots on each host of one run: counts since the start of the run and gives
/// the policies new rates every 6 hours.
class RevocationForecast final : public ForecastOwner {
 public:
  /// `schedule` outlives it.
  RevocationForecast(const EventSchedule& schedule, std::size_t hosts);

  [[nodiscard]] SimTime next_refresh() const override { return next_; }
  void refresh() override;
  [[nodiscard]] const Forecasts& forecasts() const override { return forecasts_; }
  /// The true duration; for a spot of unknown end, until the end of the window.
  [[nodiscard]] SimTime asked_lifetime(const Request& spot, SimTime end) const override;

  void evicted(InstanceIndex victim, HostIndex host, const Request& for_vm) override;
  void placed(const Request& request, HostIndex host) override;
  void departed(InstanceIndex instance, HostIndex host, SimTime time) override;

  [[nodiscard]] const HostRevocations& revocations() const { return revocations_; }

 private:
  /// Counts the spot hours on the host since the last call.
  void count_until(HostIndex host, SimTime time);

  SimTime window_;
  std::vector<bool> is_spot_;  // per instance
  std::vector<double> hours_, evictions_;
  std::vector<std::int32_t> spots_;
  std::vector<SimTime> counted_until_;
  HostRevocations revocations_;
  Forecasts forecasts_;
  SimTime next_;
};

/// Tells whether a policy of the chain reads Forecasts::revocations.
[[nodiscard]] bool needs_revocation_forecast(const ChainSpec& chain);

/// The forecast for the spot chain of a run; null if it needs none. `schedule` outlives it.
[[nodiscard]] std::unique_ptr<RevocationForecast> make_revocation_forecast(
    const EventSchedule& schedule, std::size_t hosts, const ChainSpec& spot);

}  // namespace cospot
