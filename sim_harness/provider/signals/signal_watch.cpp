#include "sim_harness/provider/signals/signal_watch.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sim_harness/provider/forecasts/lifetime_forecast.hpp"

namespace cospot {
namespace {

constexpr SimTime kPressureOver = std::chrono::hours(1);
constexpr std::array kPressureBounds{1e-9, 0.005, 0.02, 0.05};
constexpr std::array kFreeBounds{0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15};
constexpr SimTime kHourBlock = std::chrono::hours(6);

std::vector<SimTime> uptime_spans(const std::vector<SignalQuestion>& questions) {
  std::vector<SimTime> spans;
  for (const SignalQuestion& one : questions) {
    if (one.kind == SignalKind::kSurvives) spans.push_back(one.span);
  }
  return spans;
}

}  // namespace

/// A run tells its forecast owners of every way in which instances come and go, also with hosts
/// that fail.
class SignalWatch::Listener final : public ForecastOwner {
 public:
  explicit Listener(SignalWatch& watch) : watch_(&watch) {}

  [[nodiscard]] SimTime next_refresh() const override { return kNever; }
  void refresh() override {}
  [[nodiscard]] const Forecasts& forecasts() const override { return nothing_; }

  void placed(const Request& request, HostIndex host) override {
    watch_->was_placed(request, host);
  }
  void rejected(const Request& request) override { watch_->was_asked_for(request); }
  void evicted(InstanceIndex victim, HostIndex host, const Request& for_vm) override {
    watch_->has_ended(victim, host, for_vm.time, true);
  }
  void departed(InstanceIndex instance, HostIndex host, SimTime time) override {
    watch_->has_ended(instance, host, time, false);
  }

 private:
  SignalWatch* watch_;
  Forecasts nothing_;
};

SignalWatch::SignalWatch(const Workload& workload, const HostTable& hosts,
                         std::vector<SignalQuestion> questions, const SignalTimes& times)
    : workload_(&workload),
      questions_(std::move(questions)),
      times_(times),
      warmup_end_(std::chrono::duration_cast<SimTime>(workload.window * times.warmup)),
      pools_(hosts.view()),
      runs_as_spot_(workload.rows.size(), false),
      next_moment_(times.every),
      uptime_(uptime_spans(questions_), times.folds, totals_of(hosts)) {
  std::size_t uptimes = 0;
  for (const SignalQuestion& one : questions_) {
    if (one.kind == SignalKind::kObtainable) {
      place_.push_back(obtainable_.size());
      obtainable_.emplace_back(one.count, one.span, times.folds);
    } else if (one.kind == SignalKind::kEvicted) {
      place_.push_back(evicted_.size());
      evicted_.emplace_back(one.span, times.folds);
    } else {
      place_.push_back(uptimes++);
    }
  }
}

std::unique_ptr<ForecastOwner> SignalWatch::make_listener() {
  return std::make_unique<Listener>(*this);
}

void SignalWatch::was_asked_for(const Request& request) {
  if (request.is_spot() && !is_over_) pools_.add(request.resources(), hosts_->table().view());
}

void SignalWatch::was_placed(const Request& request, HostIndex host) {
  if (is_over_) return;
  changed_.push_back(host);
  uptime_.history().place(request, host);
  runs_as_spot_[request.instance] = request.is_spot();
  was_asked_for(request);
  const std::optional<std::size_t> pool = pools_.find(request.resources());
  if (!request.is_spot() || !pool) return;
  lives_.placed(request.instance, *pool, request.time);
  const std::size_t number = lives_.all().size() - 1;
  // The known numbers of free slots are those before this time.
  uptime_.placed(number, lives_.all()[number], state_at(request.time),
                 workload_->rows[request.instance].end);
}

void SignalWatch::has_ended(InstanceIndex instance, HostIndex host, SimTime time, bool is_evicted) {
  if (is_over_) return;
  changed_.push_back(host);
  if (is_evicted && runs_as_spot_[instance]) {
    uptime_.history().evict(instance, time);
  } else {
    uptime_.history().end(instance, time);
  }
  if (is_evicted) last_evictions_.push_back(time);
  lives_.ended(instance, time, is_evicted);
}

void SignalWatch::happened(const LifeEvent& event) {
  switch (event.kind) {
    case LifeEventKind::kDecline:
    case LifeEventKind::kGiveUp:
    case LifeEventKind::kNotice:
    case LifeEventKind::kNoticeWithdrawn:
      return;
    default:
      all_changed_ = true;  // rare: hosts that stop or come back, VMs that move
  }
}

void SignalWatch::time_passes(const ProviderHosts& hosts, SimTime until) {
  if (is_over_) return;
  hosts_ = &hosts;
  const SimTime end = std::min(until, workload_->window);
  if (end > counted_until_) {
    count_slots(hosts, end);
    for (; next_moment_ <= end; next_moment_ += times_.every) look(next_moment_);
    counted_until_ = end;
  }
  if (until < workload_->window) return;
  conclude();
  is_over_ = true;
}

void SignalWatch::count_slots(const ProviderHosts& hosts, SimTime until) {
  const HostView view = hosts.table().view();
  if (std::exchange(all_changed_, false)) {
    pools_.update_all(view);
  } else {
    for (const HostIndex host : changed_) pools_.update(host, view);
  }
  changed_.clear();
  for (ObtainableSignal& signal : obtainable_) {
    signal.slots_hold(pools_, counted_until_, until);
  }
}

FeatureBin SignalWatch::pressure_at(SimTime now) const {
  const auto first = std::ranges::lower_bound(last_evictions_, now - kPressureOver);
  const auto evicted = static_cast<double>(last_evictions_.end() - first);
  const auto running = static_cast<double>(std::max<std::size_t>(lives_.running(), 1));
  return bin_of(evicted / running, kPressureBounds);
}

MarketState SignalWatch::state_at(SimTime now) const {
  MarketState state{.now = now, .pools = pools_, .hosts = *hosts_};
  if (now >= warmup_end_ && now < workload_->window) {
    const double share = static_cast<double>((now - warmup_end_).count()) /
                         static_cast<double>((workload_->window - warmup_end_).count());
    const auto fold = static_cast<std::size_t>(share * static_cast<double>(times_.folds));
    state.fold = std::min(fold, times_.folds - 1);
  }
  state.pressure = pressure_at(now);
  state.fullness = bin_of(pools_.free_share(), kFreeBounds);
  state.hours = static_cast<FeatureBin>(now < SimTime{0} ? 0 : now % SimTime(kDay) / kHourBlock);
  return state;
}

void SignalWatch::look(SimTime now) {
  while (!last_evictions_.empty() && last_evictions_.front() < now - kPressureOver) {
    last_evictions_.pop_front();
  }
  const MarketState state = state_at(now);
  if (state.fold) ++moments_;
  uptime_.settle(now, lives_);
  uptime_.refresh(lives_, state);
  for (ObtainableSignal& signal : obtainable_) {
    signal.settle(now);
    signal.look(state);
  }
  for (EvictedSignal& signal : evicted_) {
    signal.settle(now, lives_);
    signal.look(state, lives_);
  }
}

std::optional<double> SignalWatch::mean_risk(const EvictedSignal& signal, std::size_t pool,
                                             const MarketState& state) const {
  double sum = 0;
  double count = 0;
  for (const SpotLife& life : lives_.all()) {
    if (life.pool != pool || life.ended_at != kNever) continue;
    sum += signal.forecast(life, state);
    count += 1;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

std::optional<double> SignalWatch::probability(std::size_t question, std::size_t pool,
                                               const MarketState& state) const {
  const std::size_t place = place_[question];
  switch (questions_[question].kind) {
    case SignalKind::kObtainable:
      return obtainable_[place].forecast(pool, state);
    case SignalKind::kSurvives:
      return pools_.slots(pool) > 0 ? uptime_.survives(pool, state, place) : std::nullopt;
    case SignalKind::kEvicted:
      break;
  }
  return mean_risk(evicted_[place], pool, state);
}

/// Scores what is due, and says what is known at the end of the window.
void SignalWatch::conclude() {
  const SimTime now = workload_->window;
  uptime_.settle(now, lives_);
  for (ObtainableSignal& signal : obtainable_) signal.settle(now);
  for (EvictedSignal& signal : evicted_) signal.settle(now, lives_);
  last_signals_ = signals_at(now);
}

std::vector<PoolSignals> SignalWatch::signals_at(SimTime now) const {
  const MarketState state = state_at(now);
  const std::span<const SpotPool> pools = pools_.pools();
  const std::vector<EvictionRate> rates = lives_.rates(pools.size(), now);
  std::vector<std::size_t> running(pools.size());
  for (const SpotLife& life : lives_.all()) {
    if (life.ended_at == kNever) ++running[life.pool];
  }
  std::vector<PoolSignals> signals;
  for (std::size_t pool = 0; pool < pools.size(); ++pool) {
    PoolSignals of{.pool = pools[pool], .slots = pools_.slots(pool), .running = running[pool]};
    for (std::size_t i = 0; i < questions_.size(); ++i) {
      of.probabilities.push_back(probability(i, pool, state));
    }
    for (std::size_t i = 0; i < UptimeSignal::kProbabilities.size(); ++i) {
      of.lifetimes.push_back(uptime_.lifetime(pool, state, i));
    }
    if (pools[pool].zone.empty()) of.rate = rates[pool];
    signals.push_back(std::move(of));
  }
  return signals;
}

SignalScore SignalWatch::score(std::size_t question) const {
  const SignalQuestion& of = questions_[question];
  const std::size_t place = place_[question];
  switch (of.kind) {
    case SignalKind::kObtainable:
      return {of, obtainable_[place].score(), obtainable_[place].score_when_full()};
    case SignalKind::kSurvives:
      return {of, uptime_.score(place)};
    case SignalKind::kEvicted:
      break;
  }
  return {of, evicted_[place].score()};
}

}  // namespace cospot
