#include "sim_harness/provider/forecasts/lifetime_forecast.hpp"

#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "filters/registry.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"

namespace cospot {
namespace {

/// Marks the instances that would ask for a lifetime as spots: by their number alone, so that runs
/// which differ in their policies have the same customers.
std::vector<bool> who_asks(std::size_t instances, const LifetimeSlaOptions& options) {
  if (options.asking_percent >= 100) return std::vector<bool>(instances, true);
  std::vector<bool> asks(instances, false);
  Random random(options.estimate.seed);
  for (std::size_t i = 0; i < instances; ++i) {
    asks[i] = 100 * random.uniform() < options.asking_percent;
  }
  return asks;
}

}  // namespace

HistoryRecorder::HistoryRecorder(std::size_t instances, std::vector<ResourceVector> host_totals,
                                 LifetimeSlaOptions options, RecordedPart part)
    : options_(std::move(options)),
      part_(std::move(part)),
      runs_as_spot_(instances, false),
      is_recorded_(instances, false),
      history_(std::move(host_totals)) {}

LifetimeForecast::LifetimeForecast(const EventSchedule& schedule,
                                   std::vector<ResourceVector> host_totals,
                                   LifetimeSlaOptions options)
    : HistoryRecorder(schedule.start.size(), std::move(host_totals), std::move(options)),
      window_(schedule.window),
      asks_(who_asks(schedule.start.size(), options_)),
      next_(options_.refresh) {
  options_.estimate.sizes = spot_sizes(schedule);
  if (options_.estimate.probabilities.empty()) {
    options_.estimate.probabilities = {options_.target};
  }
  if (options_.estimate.sizes.empty()) next_ = kNever;  // nobody will ask
  forecasts_.lifetimes = &quantiles_;
}

void LifetimeForecast::plan_estimates() {
  // Shared where events outweigh samples. Bounds the memory: 20 bytes for each start and size.
  const std::size_t most = history().events().size() > options_.estimate.samples ? 1 << 18 : 0;
  std::vector<SimTime> made_at = made_at_;
  starts_.clear();
  for (SimTime at = next_; planned_.empty() || (at <= window_ && starts_.size() < most);
       at += options_.refresh) {
    const LifetimeEstimate& one = planned_.emplace_back(history(), options_.estimate, SimTime{0},
                                                        at, made_at.size(), made_at);
    starts_.insert(starts_.end(), one.starts().begin(), one.starts().end());
    made_at.push_back(at);
  }
  std::ranges::sort(starts_);
  for (LifetimeEstimate& one : planned_) one.find_places(starts_);
  sweeps_.clear();
  for (const ResourceVector& size : options_.estimate.sizes) {
    sweeps_.push_back(
        make_eviction_sweep(history().host_totals(), size, starts_, options_.estimate.victim));
  }
}

void LifetimeForecast::refresh() {
  const auto start = std::chrono::steady_clock::now();
  const StopToken stop = current_stop_token();
  if (planned_.empty()) plan_estimates();
  for (std::size_t piece = 0; piece < sweeps_.size(); ++piece) {
    stop.check();
    planned_.front().run_piece(piece, *sweeps_[piece]);
  }
  quantiles_ = planned_.front().take_result();
  planned_.pop_front();
  made_at_.push_back(next_);
  next_ += options_.refresh;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  refresh_ms_max_ = std::max(refresh_ms_max_, took.count());
}

SimTime LifetimeForecast::asked_lifetime(const Request& spot, SimTime end) const {
  if (!asks_[spot.instance]) return SimTime{0};
  const SimTime until = end == kNever ? std::max(window_, spot.time) : end;
  const auto duration = static_cast<double>((until - spot.time).count());
  return SimTime(static_cast<std::int64_t>(duration * options_.asked_factor));
}

SimTime LifetimeForecast::promised_until(const Request& spot) const {
  if (spot.asked_lifetime <= SimTime{0} || !quantiles_.is_known()) return kNoPromisedEnd;
  return spot.time + spot.asked_lifetime;
}

void HistoryRecorder::evicted(InstanceIndex victim, HostIndex /*host*/, const Request& for_vm) {
  if (!is_recorded_[victim]) return;
  if (options_.records_evictions && runs_as_spot_[victim]) {
    history_.evict(victim, for_vm.time);
  } else {
    history_.end(victim, for_vm.time);
  }
}

void HistoryRecorder::placed(const Request& request, HostIndex host) {
  const InstanceIndex instance = request.instance;
  runs_as_spot_[instance] = request.is_spot();
  const HostIndex row = part_.row_of.empty() ? host : part_.row_of[host];
  is_recorded_[instance] = row != kNoHost && (options_.records_spots || !request.is_spot());
  if (is_recorded_[instance]) history_.place(request, row, promised_end(request));
}

SimTime HistoryRecorder::promised_end(const Request& request) {
  // Without promises, every spot counts like a future one, which may be promised anything.
  if (part_.asked.empty()) return options_.refresh != kNever ? request.promised_until : kNever;
  const std::optional<SimTime>& asked = part_.asked[request.instance];
  if (asked && *asked > SimTime{0}) {
    anybody_asked_ = true;
    return request.time + *asked;
  }
  // Before the first request for a lifetime, it is unknown which spots would have asked.
  return asked && anybody_asked_ ? kNoPromisedEnd : kNever;
}

void HistoryRecorder::departed(InstanceIndex instance, HostIndex /*host*/, SimTime time) {
  if (is_recorded_[instance]) history_.end(instance, time);
}

namespace {

/// The filter of a chain that needs a forecast; null: there is none.
const FilterSpec* find_lifetime_filter(const ChainSpec& chain) {
  const FilterSpec* found = nullptr;
  for (const FilterSpec& filter : chain.filters) {
    const PluginInfo* info = filter.make ? nullptr : find_info(filter_registry(), filter.name);
    if (info == nullptr || !info->needs_lifetime_forecast) continue;
    if (found != nullptr) {
      throw ConfigError("the chain " + chain.label + " promises lifetimes twice, expected one " +
                        filter.name);
    }
    found = &filter;
  }
  return found;
}

}  // namespace

std::vector<ResourceVector> spot_sizes(const EventSchedule& schedule) {
  std::vector<bool> is_asked(schedule.flavors.size(), false);
  for (const ScheduledEvent& event : schedule.events) {
    if (event.is_spot()) is_asked[event.flavor()] = true;
  }
  std::vector<ResourceVector> sizes;
  for (std::size_t i = 0; i < is_asked.size(); ++i) {
    if (is_asked[i]) sizes.push_back(schedule.flavors[i]);
  }
  std::ranges::sort(sizes, {}, [](const ResourceVector& size) {
    return std::tuple(size.vcpus, size.memory_mb, size.disk_gb);
  });
  return sizes;
}

std::vector<ResourceVector> totals_of(const HostTable& hosts) {
  std::vector<ResourceVector> totals;
  const HostView view = hosts.view();
  for (HostIndex host = 0; host < view.size(); ++host) totals.push_back(view[host].total());
  return totals;
}

bool needs_lifetime_forecast(const ChainSpec& spot) {
  return find_lifetime_filter(spot) != nullptr;
}

std::unique_ptr<LifetimeForecast> make_lifetime_forecast(const EventSchedule& schedule,
                                                         const HostTable& hosts,
                                                         const ChainSpec& spot) {
  const FilterSpec* filter = find_lifetime_filter(spot);
  if (filter == nullptr) return nullptr;
  return std::make_unique<LifetimeForecast>(
      schedule, totals_of(hosts),
      read_lifetime_sla_options(PluginOptions(filter->name, filter->options)));
}

}  // namespace cospot
