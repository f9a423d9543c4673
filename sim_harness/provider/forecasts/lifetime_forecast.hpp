#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "core/policy/forecasts.hpp"
#include "guarantees/sla/eviction_sweep.hpp"
#include "guarantees/sla/history.hpp"
#include "guarantees/sla/lifetime_quantiles.hpp"
#include "guarantees/sla/lifetime_sla_options.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/run/forecast_owner.hpp"
#include "sim_harness/provider/run/run_settings.hpp"

namespace cospot {

/// The part of a run that a history records, and the lifetimes that its spots had asked for.
struct RecordedPart {
  std::vector<HostIndex> row_of{};  ///< per host: its row there, or kNoHost; empty: the same
  /// Per instance; 0: none was asked for; nothing: unknown. Empty: all unknown.
  std::vector<std::optional<SimTime>> asked{};
};

/// Writes down what happens in a run, for estimates from its history. It forecasts nothing.
class HistoryRecorder : public ForecastOwner {
 public:
  /// Records a schedule of this many instances. `host_totals` are those of the recorded hosts;
  /// `options` determine the fate of spots and evictions.
  HistoryRecorder(std::size_t instances, std::vector<ResourceVector> host_totals,
                  LifetimeSlaOptions options, RecordedPart part = {});

  [[nodiscard]] SimTime next_refresh() const override { return kNever; }
  void refresh() override {}
  [[nodiscard]] const Forecasts& forecasts() const override { return forecasts_; }

  void evicted(InstanceIndex victim, HostIndex host, const Request& for_vm) override;
  void placed(const Request& request, HostIndex host) override;
  void departed(InstanceIndex instance, HostIndex host, SimTime time) override;

  [[nodiscard]] const History& history() const { return history_; }

 protected:
  LifetimeSlaOptions options_;
  Forecasts forecasts_;

 private:
  [[nodiscard]] SimTime promised_end(const Request& request);

  RecordedPart part_;
  std::vector<bool> runs_as_spot_;  // per instance: it can be evicted and evicts nobody
  std::vector<bool> is_recorded_;   // per instance: its last placement is in the history
  bool anybody_asked_ = false;      // some spot so far, for a lifetime
  History history_;
};

/// The lifetime quantiles of one run. Records events and periodically re-estimates spot lifetimes
/// from what happened since time 0. (It also knows the instances that run at time 0.)
class LifetimeForecast final : public HistoryRecorder {
 public:
  /// Covers the spot sizes of `schedule`, which must outlive it, on hosts with these totals.
  LifetimeForecast(const EventSchedule& schedule, std::vector<ResourceVector> host_totals,
                   LifetimeSlaOptions options);

  [[nodiscard]] SimTime next_refresh() const override { return next_; }
  void refresh() override;
  /// The true duration times asked_factor; for a spot of unknown end, the duration ends with the
  /// window. 0 for spots that do not ask.
  [[nodiscard]] SimTime asked_lifetime(const Request& spot, SimTime end) const override;

  [[nodiscard]] SimTime promised_until(const Request& spot) const override;

  [[nodiscard]] const LifetimeQuantiles& quantiles() const { return quantiles_; }
  [[nodiscard]] ForecastRefreshes refreshes() const override {
    return {made_at_.size(), refresh_ms_max_};
  }

 private:
  /// Draws the samples of the next estimates, for one replay of the history that serves all.
  void plan_estimates();

  std::deque<LifetimeEstimate> planned_;
  std::vector<SimTime> starts_;                         // of all of them, ascending
  std::vector<std::unique_ptr<EvictionSweep>> sweeps_;  // of each size
  SimTime window_;
  std::vector<bool> asks_;  // per instance: asks for a lifetime if it is a spot
  LifetimeQuantiles quantiles_;
  SimTime next_;
  std::vector<SimTime> made_at_;
  double refresh_ms_max_ = 0;
};

/// The forecast that the filters of a spot chain need for a run on `hosts`; null if they need none.
/// `schedule` outlives it.
///
/// Errors: ConfigError if two filters need a forecast, because theirs could differ.
[[nodiscard]] std::unique_ptr<LifetimeForecast> make_lifetime_forecast(
    const EventSchedule& schedule, const HostTable& hosts, const ChainSpec& spot);

/// The distinct sizes of the spots of a schedule, the smallest first.
[[nodiscard]] std::vector<ResourceVector> spot_sizes(const EventSchedule& schedule);

/// The capacity of each host.
[[nodiscard]] std::vector<ResourceVector> totals_of(const HostTable& hosts);

/// Tells whether make_lifetime_forecast makes one.
[[nodiscard]] bool needs_lifetime_forecast(const ChainSpec& spot);

}  // namespace cospot
