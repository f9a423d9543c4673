#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "core/errors.hpp"
#include "evictors/registry.hpp"
#include "sim_harness/advise/tune.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/experiments/queue/work_queue.hpp"
#include "sim_harness/provider/loop/run_group.hpp"
#include "sim_harness/provider/sizing/datacenter_size.hpp"

namespace cospot {

CandidateSpace::CandidateSpace(const TuneSettings& settings)
    : grid_({settings.vm.size(), settings.spot.size(), settings.evictors.size(),
             settings.saf.size(), settings.otn.size()},
            2) {
  for (std::size_t candidate = 0; candidate < grid_.run_count(); ++candidate) {
    const Coordinates at = positions(candidate);
    candidates_.push_back({.vm = settings.vm[at[0]],
                           .spot = settings.spot[at[1]],
                           .evictor = settings.evictors[at[2]],
                           .saf = settings.saf[at[3]],
                           .otn = settings.otn[at[4]]});
    if (without_cooperation_ || candidates_.back().cooperates()) continue;
    without_cooperation_.emplace(at[3], at[4]);
  }
}

AllocatorSpec CandidateSpace::prepared(std::size_t candidate, const TuneSample& sample) const {
  AllocatorSpec allocator = at(candidate);
  allocator.evictor = sample.evictors[positions(candidate)[2]];
  return allocator;
}

std::optional<std::size_t> CandidateSpace::baseline_of(std::size_t candidate) const {
  if (!without_cooperation_) return std::nullopt;
  Coordinates at = positions(candidate);
  std::tie(at[3], at[4]) = *without_cooperation_;
  return grid_.run_index(at);
}

bool CandidateSpace::is_for_nova(std::size_t candidate) const {
  const AllocatorSpec& allocator = candidates_[candidate];
  const PluginInfo* evictor = find_info(evictor_registry(), allocator.evictor.name);
  return evictor != nullptr && evictor->is_for_nova() && allocator.spot.filters.empty();
}

void require_something_to_set(const TuneSettings& settings) {
  const CandidateSpace space(settings);
  for (std::size_t candidate = 0; candidate < space.size(); ++candidate) {
    if (!space.is_bound(candidate)) return;
  }
  const auto can_be_set = [](const PluginInfo& info) { return !info.needs_true_lifetimes(); };
  throw ConfigError(fmt::format(
      "nothing can be set: every choice {}; expected an evictor that can be set as well: {}",
      kKnowsLifetimes, fmt::join(names_where(evictor_registry(), can_be_set), ", ")));
}

/// Runs of one sample with the same VM and spot policy: they share a beginning.
struct TuneRuns::Group {
  std::size_t sample = 0;
  std::size_t vm = 0;
  std::size_t spot = 0;
  std::size_t first = 0;  ///< the first part to simulate
  std::vector<std::size_t> candidates{};
  std::size_t runs = 0;  ///< that a search has asked for
};

TuneRuns::TuneRuns(const TuneSettings& settings, std::span<const TuneSample> samples, HostMix host,
                   double more_hosts_percent, ProgressSink* progress)
    : settings_(settings),
      samples_(samples),
      host_(std::move(host)),
      more_hosts_percent_(more_hosts_percent),
      space_(settings),
      results_(samples.size() * space_.size()),
      is_asked_(results_.size()),
      at_(space_.size()),
      parts_until_(space_.size()),
      counter_(progress, is_one_history() ? most_runs(space_, samples.size()) : results_.size()) {}

const RunResult* TuneRuns::find(std::size_t candidate, std::size_t sample) const {
  const std::size_t at = sample * space_.size() + candidate;
  return is_asked_[at] != 0 && results_[at] ? &*results_[at] : nullptr;
}

bool TuneRuns::knows(std::size_t candidate, std::size_t sample) const {
  return find(candidate, sample) != nullptr &&
         (!samples_[sample].goes_on || find(candidate, sample - 1) != nullptr);
}

PartAccount TuneRuns::account(std::size_t candidate, std::size_t sample) const {
  const RunResult& run = *find(candidate, sample);
  static const RunResult nothing{};
  const RunResult& before = samples_[sample].goes_on ? *find(candidate, sample - 1) : nothing;
  PartAccount account;
  account.of(Level::kVm) = {.requested = run.vm_revenue_requested - before.vm_revenue_requested,
                            .earned = run.vm_revenue - before.vm_revenue};
  account.of(Level::kSpot) = {
      .requested = run.spot_revenue_requested - before.spot_revenue_requested,
      .earned = run.spot_revenue - before.spot_revenue};
  return account;
}

Income TuneRuns::income(std::size_t candidate, std::size_t sample,
                        const VcpuHourPrices& prices) const {
  Income income = income_of(account(candidate, sample), prices);
  const SimTime before =
      samples_[sample].goes_on ? samples_[sample - 1].workload.window : SimTime(0);
  income.days = hours_of(samples_[sample].workload.window - before) / 24;
  return income;
}

namespace {

CostAndRevenue point_of(const PartAccount& of) {
  const LevelAccount& spots = of.of(Level::kSpot);
  return {.vm_loss = vm_loss_of(of), .spot_share = share_of(spots.earned, spots.requested)};
}

}  // namespace

CostAndRevenue TuneRuns::point(std::size_t candidate, std::size_t sample) const {
  return point_of(account(candidate, sample));
}

PartAccount TuneRuns::sum_of(std::size_t candidate, std::span<const std::size_t> samples) const {
  PartAccount sum;
  for (const std::size_t sample : samples) sum += account(candidate, sample);
  return sum;
}

CostAndRevenue TuneRuns::mean(std::size_t candidate, std::span<const std::size_t> samples) const {
  if (is_one_history()) return point_of(sum_of(candidate, samples));
  CostAndRevenue sum;
  for (const std::size_t sample : samples) {
    const CostAndRevenue one = point(candidate, sample);
    sum.vm_loss += one.vm_loss;
    sum.spot_share += one.spot_share;
  }
  const auto count = static_cast<double>(samples.size());
  return {.vm_loss = sum.vm_loss / count, .spot_share = sum.spot_share / count};
}

double TuneRuns::net_of(const PartAccount& of, std::size_t sample) const {
  const LevelAccount& vms = of.of(Level::kVm);
  const LevelAccount& spots = of.of(Level::kSpot);
  return share_of(spots.earned, spots.requested) -
         samples_[sample].vm_worth * share_of(vms.requested - vms.earned, spots.requested);
}

double TuneRuns::net(std::size_t candidate, std::size_t sample) const {
  return net_of(account(candidate, sample), sample);
}

double TuneRuns::mean_net(std::size_t candidate, std::span<const std::size_t> samples) const {
  if (is_one_history()) return net_of(sum_of(candidate, samples), samples.front());
  double sum = 0;
  for (const std::size_t sample : samples) sum += net(candidate, sample);
  return sum / static_cast<double>(samples.size());
}

std::size_t TuneRuns::over_limit(std::size_t candidate,
                                 std::span<const std::size_t> samples) const {
  return static_cast<std::size_t>(std::ranges::count_if(samples, [&](std::size_t sample) {
    return point(candidate, sample).vm_loss > settings_.max_vm_loss;
  }));
}

std::vector<std::size_t> TuneRuns::by_limit(std::vector<std::size_t> candidates,
                                            std::span<const std::size_t> samples) const {
  std::ranges::stable_sort(candidates, {}, [&](std::size_t candidate) {
    return std::tuple(over_limit(candidate, samples), -mean_net(candidate, samples));
  });
  return candidates;
}

HeldOutFigures TuneRuns::figures(const JudgedRuns& runs) const {
  HeldOutFigures figures;
  for (const auto& [candidate, sample] : runs) {
    const CostAndRevenue at = point(candidate, sample);
    figures.shares.push_back(at.spot_share);
    figures.losses.push_back(at.vm_loss);
    figures.nets.push_back(net(candidate, sample));
    figures.weights.push_back(
        is_one_history()
            ? static_cast<double>(account(candidate, sample).of(Level::kSpot).requested)
            : 1);
    if (at.vm_loss > settings_.max_vm_loss) ++figures.over_limit;
  }
  return figures;
}

MeanInterval gain_over(std::vector<double> net, std::span<const double> other) {
  for (std::size_t i = 0; i < net.size(); ++i) net[i] -= other[i];
  return mean_interval(net);
}

MeanInterval gain_over(const HeldOutFigures& figures, const HeldOutFigures& others) {
  std::vector<double> gains;
  for (std::size_t i = 0; i < figures.nets.size(); ++i) {
    gains.push_back((figures.nets[i] - others.nets[i]) * figures.weights[i]);
  }
  return ratio_interval(gains, figures.weights);
}

std::size_t TuneRuns::hosts(std::size_t sample) const {
  return with_headroom(samples_[sample].hosts, more_hosts_percent_);
}

std::vector<TuneRuns::Group> TuneRuns::missing(std::span<const std::size_t> candidates,
                                               std::span<const std::size_t> samples) {
  std::set<std::size_t> with_those_before(samples.begin(), samples.end());
  for (const std::size_t sample : samples) {
    if (samples_[sample].goes_on) with_those_before.insert(sample - 1);
  }
  std::map<std::tuple<std::size_t, std::size_t, std::size_t, std::size_t>, Group> groups;
  for (const std::size_t candidate : std::set(candidates.begin(), candidates.end())) {
    const Coordinates at = space_.positions(candidate);
    const std::size_t first = at_[candidate].at == nullptr ? 0 : parts_until_[candidate];
    for (const std::size_t sample : with_those_before) {
      const std::size_t place = sample * space_.size() + candidate;
      if (std::exchange(is_asked_[place], 1) != 0) continue;
      if (results_[place]) {  // on the way to a later part
        counter_.add(1);
        continue;
      }
      const std::size_t last = goes_by_cuts() ? *with_those_before.rbegin() : sample;
      Group& group = groups[{last, first, at[0], at[1]}];
      group.sample = last;
      group.first = first;
      if (group.candidates.empty() || group.candidates.back() != candidate) {
        group.candidates.push_back(candidate);
      }
      ++group.runs;
    }
  }
  std::vector<Group> all;
  for (auto& [key, group] : groups) all.push_back(std::move(group));
  return all;
}

void TuneRuns::run_group(const Group& group) {
  if (goes_by_cuts()) return go_on(group);
  const TuneSample& sample = samples_[group.sample];
  // Every candidate has a place of its own: no two threads write to one.
  const auto result_of = [&](std::size_t candidate) -> std::optional<RunResult>& {
    return results_[group.sample * space_.size() + candidate];
  };
  const std::size_t hosts = this->hosts(group.sample);
  if (settings_.with != nullptr) {
    for (const std::size_t candidate : group.candidates) {
      const RunSettings settings{space_.prepared(candidate, sample), host_, hosts};
      result_of(candidate) = settings_.with->run(sample.workload, sample.schedule, settings).run;
    }
    return;
  }
  simulate_group(sample.schedule, host_, hosts, allocators_of(group, sample),
                 [&](std::size_t index, const RunResult& result) {
                   result_of(group.candidates[index]) = result;
                 });
}

/// Takes the runs of a group from where they are to the end of a part, one part after the other.
void TuneRuns::go_on(const Group& group) {
  const TuneSample& history = samples_.back();
  const std::vector<AllocatorSpec> allocators = allocators_of(group, history);
  std::vector<GroupRun> runs;
  for (const std::size_t candidate : group.candidates) runs.push_back(at_[candidate]);
  for (std::size_t part = group.first; part <= group.sample; ++part) {
    simulate_to_next_cut(history.schedule, host_, hosts(part), allocators, part, runs,
                         [&](std::size_t index, const RunResult& result) {
                           results_[part * space_.size() + group.candidates[index]] = result;
                         });
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    at_[group.candidates[i]] = std::move(runs[i]);
    parts_until_[group.candidates[i]] = group.sample + 1;
  }
}

std::vector<AllocatorSpec> TuneRuns::allocators_of(const Group& group,
                                                   const TuneSample& sample) const {
  std::vector<AllocatorSpec> allocators;
  for (const std::size_t candidate : group.candidates) {
    allocators.push_back(space_.prepared(candidate, sample));
  }
  return allocators;
}

/// Runs that stay two parts behind are those of candidates that a search has dropped. If they are
/// needed after all, they begin anew.
void TuneRuns::forget_dropped() {
  const std::size_t furthest = std::ranges::max(parts_until_);
  for (std::size_t candidate = 0; candidate < at_.size(); ++candidate) {
    if (parts_until_[candidate] + 1 < furthest) at_[candidate] = {};
  }
}

void TuneRuns::finish() {
  counter_.set_total(counter_.done());
  counter_.finish(true);
}

void TuneRuns::simulate(std::span<const std::size_t> candidates,
                        std::span<const std::size_t> samples) {
  const std::vector<Group> groups = missing(candidates, samples);
  work_in_parallel(groups.size(), settings_.threads, [&](std::size_t i) {
    run_group(groups[i]);
    counter_.add(groups[i].runs);
  });
  current_stop_token().check();
  forget_dropped();
}

bool dominates(const CostAndRevenue& a, const CostAndRevenue& b) {
  if (a.vm_loss > b.vm_loss || a.spot_share < b.spot_share) return false;
  return a.vm_loss < b.vm_loss || a.spot_share > b.spot_share;
}

std::vector<std::size_t> pareto_layers(std::span<const CostAndRevenue> points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t point) {
    return std::tuple(points[point].vm_loss, -points[point].spot_share);
  });
  // In this order the last point of a layer dominates the next one if any point of the layer does.
  std::vector<std::size_t> layers(points.size());
  std::vector<CostAndRevenue> last;  // of each layer
  for (const std::size_t point : order) {
    const auto layer = std::ranges::find_if(
        last, [&](const CostAndRevenue& above) { return !dominates(above, points[point]); });
    layers[point] = static_cast<std::size_t>(layer - last.begin());
    if (layer == last.end()) {
      last.push_back(points[point]);
    } else {
      *layer = points[point];
    }
  }
  return layers;
}

std::vector<std::size_t> best_by_layer(std::span<const CostAndRevenue> points, std::size_t count) {
  const std::vector<std::size_t> layers = pareto_layers(points);
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t point) {
    return std::tuple(layers[point], -points[point].spot_share);
  });
  order.resize(std::min(count, order.size()));
  std::sort(order.begin(), order.end());
  return order;
}

std::vector<std::size_t> whole_layers(std::span<const CostAndRevenue> points, std::size_t most) {
  const std::vector<std::size_t> layers = pareto_layers(points);
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t point) {
    return std::tuple(layers[point], points[point].vm_loss);
  });
  std::vector<std::size_t> taken;
  for (std::span<const std::size_t> rest = order; !rest.empty() && taken.size() < most;) {
    const auto next = std::ranges::find_if(
        rest, [&](std::size_t point) { return layers[point] != layers[rest.front()]; });
    const auto size = static_cast<std::size_t>(next - rest.begin());
    const std::size_t places = std::min(size, most - taken.size());
    for (std::size_t i = 0; i < places; ++i) {
      taken.push_back(rest[places == 1 ? 0 : i * (size - 1) / (places - 1)]);
    }
    rest = rest.subspan(size);
  }
  std::sort(taken.begin(), taken.end());
  return taken;
}

}  // namespace cospot
