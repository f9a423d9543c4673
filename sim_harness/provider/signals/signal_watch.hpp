#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/model/host_table.hpp"
#include "sim_harness/data/workloads/workload.hpp"
#include "sim_harness/provider/run/forecast_owner.hpp"
#include "sim_harness/provider/run/run_observer.hpp"
#include "sim_harness/provider/signals/evicted_signal.hpp"
#include "sim_harness/provider/signals/obtainable_signal.hpp"
#include "sim_harness/provider/signals/signal_score.hpp"
#include "sim_harness/provider/signals/signal_settings.hpp"
#include "sim_harness/provider/signals/spot_lives.hpp"
#include "sim_harness/provider/signals/spot_pools.hpp"
#include "sim_harness/provider/signals/uptime_signal.hpp"

namespace cospot {

/// The signals of a pool at the end of a history.
struct PoolSignals {
  SpotPool pool;
  std::int64_t slots = 0;
  std::size_t running = 0;  ///< spots of the flavor
  std::vector<std::optional<double>>
      probabilities{};                 ///< per question; for running spots, the mean
  std::vector<SimTime> lifetimes{};    ///< at UptimeSignal::kProbabilities; kNoPromise: unknown
  std::optional<EvictionRate> rate{};  ///< of a flavor, in any zone

  friend bool operator==(const PoolSignals&, const PoolSignals&) = default;
};

/// Observes a run, gives signals at regular moments from past events, and scores each once its span
/// is over. So a signal is always about a later time than everything it was learned from.
class SignalWatch final : public RunObserver {
 public:
  /// Args: workload: of the run; outlives it. hosts: of the run, before it starts.
  SignalWatch(const Workload& workload, const HostTable& hosts,
              std::vector<SignalQuestion> questions, const SignalTimes& times);

  /// Receives the run's instance events. Must not outlive this object.
  [[nodiscard]] std::unique_ptr<ForecastOwner> make_listener();

  void time_passes(const ProviderHosts& hosts, SimTime until) override;
  void happened(const LifeEvent& event) override;

  /// The signals at `now`, the time that the run has reached.
  [[nodiscard]] std::vector<PoolSignals> signals_at(SimTime now) const;

  // These require a finished run.

  [[nodiscard]] SignalScore score(std::size_t question) const;
  /// At the end of the window.
  [[nodiscard]] std::span<const PoolSignals> last_signals() const { return last_signals_; }
  [[nodiscard]] std::span<const SignalQuestion> questions() const { return questions_; }
  [[nodiscard]] std::size_t moments() const { return moments_; }  ///< number of scored moments
  [[nodiscard]] SimTime warmup_end() const { return warmup_end_; }
  [[nodiscard]] SimTime window() const { return workload_->window; }
  [[nodiscard]] const Workload& workload() const { return *workload_; }

  // Recorded so far.

 private:
  class Listener;

  void was_asked_for(const Request& request);
  void was_placed(const Request& request, HostIndex host);
  void has_ended(InstanceIndex instance, HostIndex host, SimTime time, bool is_evicted);
  [[nodiscard]] MarketState state_at(SimTime now) const;
  [[nodiscard]] FeatureBin pressure_at(SimTime now) const;
  void count_slots(const ProviderHosts& hosts, SimTime until);
  void look(SimTime now);
  void conclude();
  [[nodiscard]] std::optional<double> probability(std::size_t question, std::size_t pool,
                                                  const MarketState& state) const;
  [[nodiscard]] std::optional<double> mean_risk(const EvictedSignal& signal, std::size_t pool,
                                                const MarketState& state) const;

  const Workload* workload_;
  std::vector<SignalQuestion> questions_;
  SignalTimes times_;
  SimTime warmup_end_;
  std::vector<std::size_t> place_;  // of each question, among the signals of its kind

  // Current knowledge.
  const ProviderHosts* hosts_ = nullptr;
  SpotPools pools_;
  SpotLives lives_;
  std::vector<bool> runs_as_spot_;  // per instance: it can be evicted and evicts nobody
  std::vector<HostIndex> changed_;  // hosts whose slots must be recounted
  bool all_changed_ = false;
  std::deque<SimTime> last_evictions_;  // of the last hour or more
  SimTime counted_until_ = SimTime::min();
  SimTime next_moment_;
  std::size_t moments_ = 0;
  bool is_over_ = false;

  std::vector<ObtainableSignal> obtainable_;
  std::vector<EvictedSignal> evicted_;
  UptimeSignal uptime_;
  std::vector<PoolSignals> last_signals_;
};

}  // namespace cospot
