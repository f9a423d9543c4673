#include "sim_harness/studies/deadline/deadline_comparison.hpp"

#include <algorithm>
#include <set>
#include <utility>

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

/// Of every run the strategy's sums, and where spots are dearest.
void read_runs(ResultsDatabase& results, const std::vector<GridAxis>& axes,
               DeadlineComparison& made) {
  const Grid grid = grid_of(axes);
  const std::size_t strategy = axis_position(axes, "strategy");
  const std::size_t trace = axis_position(axes, "trace");
  const std::size_t start = axis_position(axes, "start_hours");
  std::vector<std::map<std::size_t, SampleSum>> sums(made.strategies.size());
  std::set<std::size_t> samples;
  SqliteStatement select(results.connection(),
                         "SELECT run_index, cost, restarts, spot_hours, met_deadline, spot_price, "
                         "on_demand_price FROM run ORDER BY run_index");
  while (select.step()) {
    const Coordinates at = grid.coordinates(static_cast<std::size_t>(select.read_integer()));
    StrategyFigures& figures = made.strategies[at[strategy]];
    const std::size_t sample = at[trace] * axes[start].values.size() + at[start];
    const double cost = select.read_number();
    figures.cost += cost;
    figures.restarts += select.read_number();
    figures.spot_hours += select.read_number();
    figures.late += select.read_integer() == 0 ? 1 : 0;
    ++figures.runs;
    SampleSum& sum = sums[at[strategy]][sample];
    sum.cost += cost;
    ++sum.runs;
    samples.insert(sample);
    const double spot = select.read_number(), on_demand = select.read_number();
    if (made.on_demand_price == 0 || spot * made.on_demand_price > made.spot_price * on_demand) {
      made.spot_price = spot;
      made.on_demand_price = on_demand;
    }
  }
  made.samples = samples.size();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    for (const auto& [sample, sum] : sums[i]) {
      made.strategies[i].cost_of_sample[sample] = sum.cost / sum.runs;
    }
  }
}

}  // namespace

MeanInterval saving_of(const StrategyFigures& cheaper, const StrategyFigures& dearer) {
  std::vector<double> savings;
  double mean = 0;
  for (const auto& [sample, cost] : cheaper.cost_of_sample) {
    const auto other = dearer.cost_of_sample.find(sample);
    if (other == dearer.cost_of_sample.end()) continue;
    savings.push_back(other->second - cost);
    mean += other->second;
  }
  if (savings.empty() || mean <= 0) return {};
  mean /= static_cast<double>(savings.size());
  for (double& saving : savings) saving /= mean;
  return mean_interval(savings);
}

bool is_saving(const MeanInterval& saving) { return saving.mean > saving.half_width.value_or(0); }

const StrategyFigures* DeadlineComparison::find(std::string_view name) const {
  const auto found = std::ranges::find(strategies, name, &StrategyFigures::name);
  return found == strategies.end() || found->runs == 0 ? nullptr : &*found;
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
  const std::vector<GridAxis> axes = results.axes();
  DeadlineComparison made;
  for (const AxisValue& value : axes[axis_position(axes, "strategy")].values) {
    made.strategies.push_back(
        {.name = value.label, .keeps_deadlines = keeps_deadlines(value.label)});
  }
  read_runs(results, axes, made);
  for (StrategyFigures& one : made.strategies) {
    if (one.runs == 0) continue;
    const auto runs = static_cast<double>(one.runs);
    one.cost /= runs;
    one.restarts /= runs;
    one.spot_hours /= runs;
  }
  return made;
}

}  // namespace cospot
