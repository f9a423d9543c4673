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

/// What a customer is told of a pool at the end of a history.
struct PoolSignals {
  SpotPool pool;
  std::int64_t slots = 0;
  std::size_t running = 0;  ///< spots of the flavor
  std::vector<std::optional<double>>
      probabilities{};               ///< of each question; of running spots the mean
  std::vector<SimTime> lifetimes{};  ///< UptimeSignal::kProbabilities; kNoPromise: nothing is known
  std::optional<EvictionRate> rate{};  ///< of a flavor, anywhere

  friend bool operator==(const PoolSignals&, const PoolSignals&) = default;
};

/// Watches a run, gives signals at regular moments from what has happened before, and scores each
/// once its future has come. So every signal is of a later time than all that it was learned from.
class SignalWatch final : public RunObserver {
 public:
  /// Args: workload: of the run; outlives it. hosts: of the run, before it starts.
  SignalWatch(const Workload& workload, const HostTable& hosts,
              std::vector<SignalQuestion> questions, const SignalTimes& times);

  /// What the run tells of instances goes through it. Lives no longer than this.
  [[nodiscard]] std::unique_ptr<ForecastOwner> make_listener();

  void time_passes(const ProviderHosts& hosts, SimTime until) override;
  void happened(const LifeEvent& event) override;

  /// What customers may be told at `now`, up to which time has passed.
  [[nodiscard]] std::vector<PoolSignals> signals_at(SimTime now) const;

  // Of a run that is over.

  [[nodiscard]] SignalScore score(std::size_t question) const;
  /// At the end of the window.
  [[nodiscard]] std::span<const PoolSignals> last_signals() const { return last_signals_; }
  [[nodiscard]] std::span<const SignalQuestion> questions() const { return questions_; }
  [[nodiscard]] std::size_t moments() const { return moments_; }  ///< whose signals count
  [[nodiscard]] SimTime warmup_end() const { return warmup_end_; }
  [[nodiscard]] SimTime window() const { return workload_->window; }

  // What was recorded so far.

  [[nodiscard]] const History& history() const { return uptime_.history(); }
  [[nodiscard]] const SpotLives& lives() const { return lives_; }
  [[nodiscard]] std::span<const SpotPool> pools() const { return pools_.pools(); }

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
  std::vector<std::size_t> place_;  // of each question among the signals of its kind

  // What is known by now.
  const ProviderHosts* hosts_ = nullptr;
  SpotPools pools_;
  SpotLives lives_;
  std::vector<bool> runs_as_spot_;  // of each instance: others displace it, and it nobody
  std::vector<HostIndex> changed_;  // hosts whose slots are to be counted anew
  bool all_changed_ = false;
  std::deque<SimTime> last_evictions_;  // of the last hour and more
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
