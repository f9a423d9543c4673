#include "sim_harness/studies/deadline/deadline_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/customer/deadline/deadline_strategies.hpp"
#include "sim_harness/experiments/grid/grid.hpp"

namespace cospot {
namespace {

/// Sums of the runs of one sample.
struct SampleSum {
  double cost = 0, runs = 0;
};

/// False also for one of a later cospot.
bool keeps_deadlines(const std::string& strategy) {
  const auto all = deadline_strategies();
  const auto found = std::ranges::find(all, strategy, &DeadlineStrategyEntry::name);
  return found != all.end() && found->safety_net;
}

/// Reads the sums of each strategy over its runs, and the dearest spots.
void read_runs(ResultsDatabase& results, DeadlineComparison& made) {
  using Place = std::pair<std::string, std::string>;  // type and strategy
  std::map<Place, std::map<Sample, SampleSum>> sums;
  std::map<Sample, double> samples;
  std::set<std::string> histories;
  SqliteStatement select(
      results.connection(),
      "SELECT type, strategy, history, start_in_history_hours, cost, restarts, spot_hours, "
      "met_deadline, paid_spot_price, paid_on_demand_price, duration_hours, deadline_hours, now, "
      "net_before_loss "
      "FROM run ORDER BY run_index");
  while (select.step()) {
    const std::string type = select.read_text(), strategy = select.read_text();
    auto found = std::ranges::find_if(made.strategies, [&](const StrategyFigures& one) {
      return one.type == type && one.name == strategy;
    });
    if (found == made.strategies.end()) {
      found = made.strategies.insert(
          made.strategies.end(),
          {.name = strategy, .type = type, .keeps_deadlines = keeps_deadlines(strategy)});
    }
    StrategyFigures& figures = *found;
    Sample sample{select.read_text(), 0};
    sample.second = select.read_number();
    const double cost = select.read_number();
    figures.cost += cost;
    figures.restarts += select.read_number();
    figures.spot_hours += select.read_number();
    figures.late += select.read_integer() == 0 ? 1 : 0;
    ++figures.runs;
    SampleSum& sum = sums[{type, strategy}][sample];
    sum.cost += cost;
    ++sum.runs;
    samples[sample] = 0;
    histories.insert(sample.first);
    const double spot = select.read_number(), on_demand = select.read_number();
    if (made.on_demand_price == 0 || spot * made.on_demand_price > made.spot_price * on_demand) {
      made.spot_price = spot;
      made.on_demand_price = on_demand;
    }
    const double work = select.read_number(), deadline = select.read_number();
    figures.longest_hours = std::max(figures.longest_hours, deadline);
    figures.now[fmt::format("{:g} h of work due in {:g} h", work, deadline)] = select.read_text();
    figures.net_before_loss += static_cast<std::size_t>(select.read_integer());
  }
  made.samples = samples.size();
  made.histories = histories.size();
  for (StrategyFigures& one : made.strategies) {
    for (const auto& [sample, sum] : sums[{one.type, one.name}]) {
      one.cost_of_sample[sample] = sum.cost / sum.runs;
    }
    made.independent = std::max(made.independent, independent_samples(samples, one.longest_hours));
  }
}

}  // namespace

std::size_t independent_samples(const std::map<Sample, double>& samples, double hours) {
  constexpr double kRounding = 1e-6;  // starts are sums of ticks
  std::size_t count = 0;
  const Sample* last = nullptr;
  for (const auto& [sample, cost] : samples) {
    const bool overlaps = last != nullptr && last->first == sample.first &&
                          sample.second < last->second + hours - kRounding;
    if (overlaps) continue;
    last = &sample;
    ++count;
  }
  return count;
}

MeanInterval cost_interval(const StrategyFigures& one) {
  std::vector<double> samples;
  for (const auto& [sample, cost] : one.cost_of_sample) samples.push_back(cost);
  const std::size_t independent = independent_samples(one.cost_of_sample, one.longest_hours);
  return {.mean = one.cost, .half_width = mean_interval(samples, independent).half_width};
}

MeanInterval saving_of(const StrategyFigures& cheaper, const StrategyFigures& dearer) {
  std::vector<double> savings;
  std::map<Sample, double> both;
  double mean = 0;
  for (const auto& [sample, cost] : cheaper.cost_of_sample) {
    const auto other = dearer.cost_of_sample.find(sample);
    if (other == dearer.cost_of_sample.end()) continue;
    savings.push_back(other->second - cost);
    both[sample] = 0;
    mean += other->second;
  }
  if (savings.empty() || mean <= 0) return {};
  mean /= static_cast<double>(savings.size());
  for (double& saving : savings) saving /= mean;
  const double hours = std::max(cheaper.longest_hours, dearer.longest_hours);
  return mean_interval(savings, independent_samples(both, hours));
}

bool is_saving(const MeanInterval& saving) { return saving.mean > saving.half_width.value_or(0); }

bool DeadlineComparison::has_types() const {
  return std::ranges::any_of(strategies, [](const auto& one) { return !one.type.empty(); });
}

const StrategyFigures* DeadlineComparison::find(std::string_view name,
                                                std::string_view type) const {
  const auto found = std::ranges::find_if(
      strategies, [&](const auto& one) { return one.name == name && one.type == type; });
  return found == strategies.end() ? nullptr : &*found;
}

const StrategyFigures* DeadlineComparison::find(std::string_view name) const {
  const StrategyFigures* best = nullptr;
  for (const StrategyFigures& one : strategies) {
    if (one.name == name && (best == nullptr || one.cost < best->cost)) best = &one;
  }
  return best;
}

const StrategyFigures* DeadlineComparison::recommended() const {
  const StrategyFigures* best = nullptr;
  for (const StrategyFigures& one : strategies) {
    if (one.can_be_used() && (best == nullptr || one.cost < best->cost)) best = &one;
  }
  const StrategyFigures* on_demand = find("on_demand");
  if (best == nullptr || on_demand == nullptr || best == on_demand) return best;
  return is_saving(saving_of(*best, *on_demand)) ? best : on_demand;
}

const StrategyFigures* DeadlineComparison::next_to(const StrategyFigures& one) const {
  const StrategyFigures* next = nullptr;
  for (const StrategyFigures& other : strategies) {
    if (&other == &one || !other.can_be_used()) continue;
    if (next == nullptr || other.cost < next->cost) next = &other;
  }
  return next;
}

DeadlineComparison compare_strategies(ResultsDatabase& results) {
  DeadlineComparison made;
  read_runs(results, made);
  for (StrategyFigures& one : made.strategies) {
    const auto runs = static_cast<double>(one.runs);
    one.cost /= runs;
    one.restarts /= runs;
    one.spot_hours /= runs;
  }
  // As the axis has them: a shard, or a merged database, may begin elsewhere.
  const std::vector<GridAxis> axes = results.axes();
  const std::vector<AxisValue>& order = axes[axis_position(axes, "strategy")].values;
  std::vector<std::string> types;
  for (const StrategyFigures& one : made.strategies) {
    if (std::ranges::find(types, one.type) == types.end()) types.push_back(one.type);
  }
  std::ranges::stable_sort(made.strategies, {}, [&](const StrategyFigures& one) {
    return std::pair(std::ranges::find(types, one.type) - types.begin(),
                     std::ranges::find(order, one.name, &AxisValue::label) - order.begin());
  });
  return made;
}

}  // namespace cospot
