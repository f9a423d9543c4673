#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "sim_harness/customer/deadline/deadline_strategies.hpp"
#include "sim_harness/customer/deadline/mixed_optimum.hpp"
#include "sim_harness/customer/deadline/offline_optimum.hpp"
#include "sim_harness/data/markets/availability_trace.hpp"

namespace cospot {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// A plan that is known beforehand.
class Plan final : public DeadlineStrategy {
 public:
  explicit Plan(std::vector<Capacity> ticks) : ticks_(std::move(ticks)) {}
  [[nodiscard]] Capacity choose(const DeadlineView& view) override {
    return ticks_[static_cast<std::size_t>(view.tick)];
  }

 private:
  std::vector<Capacity> ticks_;
};

/// `s`: a spot is to be had, `.`: none. Ticks of 10 minutes, spots for 0.6, on-demand for 3 USD/h:
/// 0.1 and 0.5 a tick.
DeadlineCase case_of(const std::string& ticks, SimTime work, SimTime overhead) {
  DeadlineCase run{.job = {.duration = work,
                           .deadline = minutes(10) * static_cast<int>(ticks.size()),
                           .overhead = overhead,
                           .spot_price = 0.6,
                           .on_demand_price = 3},
                   .tick = minutes(10),
                   .spot = {}};
  for (const char tick : ticks) run.spot.push_back(tick == 's');
  return run;
}

DeadlineResult run_of(const DeadlineCase& run, const char* name,
                      const SpellHistory& history = SpellHistory(minutes(10))) {
  const DeadlineStrategyEntry& entry = find_deadline_strategy(name);
  return run_deadline(run, *entry.make(run, history), entry.safety_net);
}

TEST_CASE("deadline runs: overhead is worked off inside ticks, a new start replaces what is left") {
  // Spot for two ticks (overhead 12 min: works 0, then 8 min), away, spot again (0, 8), then 10:
  // 26 min of work after tick 5; of the last tick, 4 min are needed for 20 min of work.
  const DeadlineCase run = case_of("ss.sss", minutes(20), minutes(12));
  const DeadlineResult result = run_of(run, "spot_only");
  CHECK(result.met_deadline);
  CHECK(*result.finished_hours == doctest::Approx((50 + 4) / 60.0));
  CHECK(result.restarts == 1);
  CHECK(result.spot_hours == doctest::Approx(5 / 6.0));  // an instance-tick is paid in full
  CHECK(result.cost == doctest::Approx(0.5));
}

TEST_CASE("deadline runs: on-demand alone, greedy and the safety net by hand") {
  // 20 min of work and 5 min of overhead on-demand: 3 ticks, done after 25 min. 1.5 USD.
  const DeadlineCase run = case_of("......", minutes(20), minutes(5));
  CHECK(run_of(run, "on_demand").cost == doctest::Approx(1.5));
  CHECK(*run_of(run, "on_demand").finished_hours == doctest::Approx(25 / 60.0));
  // Greedy idles while on-demand started in the next tick is still in time: it needs the last 3.
  const DeadlineResult greedy = run_of(run, "greedy");
  CHECK(*greedy.finished_hours == doctest::Approx(55 / 60.0));
  CHECK(greedy.on_demand_hours == doctest::Approx(0.5));
  // The net of the paper alone (R < C + 2d) would idle in tick 3 too: 30 min are left, and
  // 20 + 2 x 5 = 30. Then 20 min are left for 25.
  DeadlineView view{.tick = 3, .time_left = minutes(30), .work_left = minutes(20)};
  CHECK_FALSE(leaves_time_for_on_demand(run, view, Capacity::kNone));
  view.tick = 2;
  CHECK(leaves_time_for_on_demand(run, view, Capacity::kNone));
  CHECK_FALSE(run_of(run, "spot_only").met_deadline);
  CHECK_FALSE(run_of(run, "spot_only").finished_hours.has_value());
}

TEST_CASE("deadline runs: uniform progress by hand") {
  // 30 min of work in 90 min, no overhead: on-demand when less is done than a third of the time
  // gone. Tick 0: 0 of 0, not behind. Tick 1: 0 of 3.3, on-demand. Tick 2: 10 of 6.7, idle.
  // Tick 3: 10 of 10. Tick 4: 10 of 13.3, on-demand. Then 20 of 16.7 and 20 of 20: idle.
  // Tick 7: 20 of 23.3, on-demand: done after 80 min.
  const DeadlineResult result =
      run_of(case_of(".........", minutes(30), minutes(0)), "uniform_progress");
  CHECK(*result.finished_hours == doctest::Approx(80 / 60.0));
  CHECK(result.restarts == 2);
  CHECK(result.on_demand_hours == doctest::Approx(0.5));
  // A spot is taken also when ahead.
  const DeadlineResult spots =
      run_of(case_of("sss......", minutes(30), minutes(0)), "uniform_progress");
  CHECK(*spots.finished_hours == doctest::Approx(0.5));
}

double least_cost_by_force(const DeadlineCase& run) {
  const auto count = static_cast<std::size_t>(run.ticks());
  std::vector<Capacity> plan(count, Capacity::kNone);
  double best = std::numeric_limits<double>::infinity();
  for (;;) {
    bool possible = true;
    for (std::size_t i = 0; i < count; ++i) {
      possible = possible && (plan[i] != Capacity::kSpot || run.spot[i]);
    }
    if (possible) {
      Plan strategy(plan);
      const DeadlineResult result = run_deadline(run, strategy, false);
      if (result.met_deadline) best = std::min(best, result.cost);
    }
    std::size_t i = 0;
    while (i < count && plan[i] == Capacity::kOnDemand) plan[i++] = Capacity::kNone;
    if (i == count) return best;
    plan[i] = plan[i] == Capacity::kNone ? Capacity::kSpot : Capacity::kOnDemand;
  }
}

/// A random job that on-demand alone can do.
DeadlineCase random_deadline_case(Random& random, std::size_t most_ticks) {
  const std::size_t ticks = 3 + random.below(most_ticks - 2);
  std::string spots;
  bool up = random.below(2) == 0;
  for (std::size_t i = 0; i < ticks; ++i) {
    if (random.below(3) == 0) up = !up;
    spots += up ? 's' : '.';
  }
  const auto overhead = static_cast<std::int64_t>(random.below(1400));
  const std::int64_t most = static_cast<std::int64_t>(ticks) * 600 - overhead;
  const std::int64_t work = 1 + static_cast<std::int64_t>(random.below(
                                    static_cast<std::uint64_t>(std::max<std::int64_t>(most, 1))));
  DeadlineCase run =
      case_of(spots, seconds(work), seconds(std::min(overhead, most > 0 ? overhead : 0)));
  run.job.spot_price = 0.3 * static_cast<double>(1 + random.below(12));  // up to 3.6: dearer too
  return run;
}

/// Gives each tick a price of its own, up to 3.6 USD/h: the same for a while, then another one.
void draw_prices(DeadlineCase& run, Random& random) {
  double price = 0.6;
  for (std::size_t i = 0; i < run.spot.size(); ++i) {
    if (random.below(3) == 0) price = 0.3 * static_cast<double>(1 + random.below(12));
    run.spot_prices.push_back(price);
  }
}

TEST_CASE("the offline optimum is the best of all plans") {
  Random random(11);
  for (int i = 0; i < 600; ++i) {
    DeadlineCase run = random_deadline_case(random, 8);
    if (i >= 300) draw_prices(run, random);
    if (ticks_for(run.job.duration, run.job.overhead, run.tick) > run.ticks()) continue;
    const DeadlineResult result = run_of(run, "optimal");
    CAPTURE(i);
    REQUIRE(result.met_deadline);
    REQUIRE(result.cost == doctest::Approx(least_cost_by_force(run)));
  }
}

/// The least cost by dynamic programming over ticks, what runs, its overhead left and the minutes
/// of work done: no idea of stretches or intervals in it. Expects whole minutes and ticks of ten.
double least_cost_by_minutes(const DeadlineCase& run) {
  const auto in_minutes = [](SimTime time) {
    return static_cast<std::size_t>(std::chrono::duration_cast<minutes>(time).count());
  };
  const std::size_t work = in_minutes(run.job.duration), overhead = in_minutes(run.job.overhead);
  constexpr double kNever = std::numeric_limits<double>::infinity();
  constexpr std::size_t kKinds = 3, kTick = 10;
  std::size_t tick = 0;
  // By what runs, minutes of its overhead left, minutes of work done.
  const std::size_t lefts = overhead + 1;
  const auto at = [&](std::size_t kind, std::size_t left, std::size_t done) {
    return (kind * lefts + left) * (work + 1) + done;
  };
  std::vector<double> cost(kKinds * lefts * (work + 1), kNever);
  cost[at(0, 0, 0)] = 0;
  double best = kNever;
  for (const bool spot : run.spot) {
    std::vector<double> next(cost.size(), kNever);
    for (std::size_t from = 0; from < cost.size(); ++from) {
      if (cost[from] == kNever) continue;
      const std::size_t done = from % (work + 1), left = from / (work + 1) % lefts;
      const std::size_t running = from / (work + 1) / lefts;
      for (std::size_t kind = 0; kind < kKinds; ++kind) {
        if (kind == 1 && !spot) continue;
        const double sum = cost[from] + run.price_at(tick, static_cast<Capacity>(kind)) / 6;
        if (kind == 0) {
          next[at(0, 0, done)] = std::min(next[at(0, 0, done)], sum);
          continue;
        }
        const std::size_t to_work_off = kind == running ? left : overhead;
        const std::size_t useful = kTick - std::min(kTick, to_work_off);
        const std::size_t still_left = to_work_off - std::min(kTick, to_work_off);
        if (done + useful >= work) {
          best = std::min(best, sum);
        } else {
          double& to = next[at(kind, still_left, done + useful)];
          to = std::min(to, sum);
        }
      }
    }
    cost.swap(next);
    ++tick;
  }
  return best;
}

TEST_CASE("the offline optimum is that of a search over minutes, with many stretches") {
  Random random(13), prices(14);
  int mixed = 0;
  for (int i = 0; i < 250; ++i) {
    DeadlineCase run = random_deadline_case(random, 70);
    run.job.duration = minutes(
        std::max<std::int64_t>(1, std::chrono::duration_cast<minutes>(run.job.duration).count()));
    run.job.overhead = std::chrono::duration_cast<minutes>(run.job.overhead);
    if (ticks_for(run.job.duration, run.job.overhead, run.tick) > run.ticks()) continue;
    CAPTURE(i);
    REQUIRE(run_of(run, "optimal").cost == doctest::Approx(least_cost_by_minutes(run)));
    DeadlineCase priced = run;
    draw_prices(priced, prices);
    REQUIRE(run_of(priced, "optimal").cost == doctest::Approx(least_cost_by_minutes(priced)));
    mixed += needs_on_demand(run) ? 1 : 0;
  }
  CHECK(mixed > 60);  // both searches are tried
  CHECK(mixed < 190);
}

TEST_CASE("deadline runs: each tick costs its price, and strategies know the past ones only") {
  // 20 min of work and 5 of overhead: ticks 0, 1 and 3 of spots, for 0.6, 1.2 and 3 USD/h; then
  // 0.1 + 0.2 + 0.5 USD.
  DeadlineCase run = case_of("ss.sss", minutes(20), minutes(5));
  run.spot_prices = {0.6, 1.2, 9, 3, 6, 9};
  CHECK(run_of(run, "spot_only").cost == doctest::Approx(0.8));
  // Two futures that are the same up to a tick: so are the choices up to it.
  class Recorder final : public DeadlineStrategy {
   public:
    explicit Recorder(DeadlineStrategy& of) : of_(of) {}
    [[nodiscard]] Capacity choose(const DeadlineView& view) override {
      return made.emplace_back(of_.choose(view));
    }
    std::vector<Capacity> made;

   private:
    DeadlineStrategy& of_;
  };
  Random random(15);
  for (int i = 0; i < 100; ++i) {
    DeadlineCase one = random_deadline_case(random, 60);
    if (ticks_for(one.job.duration, one.job.overhead, one.tick) > one.ticks()) continue;
    draw_prices(one, random);
    DeadlineCase other = one;
    const std::size_t same = random.below(one.spot.size());
    for (std::size_t k = same; k < one.spot.size(); ++k) other.spot_prices[k] *= 4;
    for (const char* name : {"greedy", "uniform_progress", "quoted"}) {
      const auto choices = [&](const DeadlineCase& of) {
        const auto strategy = find_deadline_strategy(name).make(of, SpellHistory(of.tick));
        Recorder recorder(*strategy);
        CHECK(run_deadline(of, recorder, true).met_deadline);
        recorder.made.resize(std::min(same, recorder.made.size()));
        return recorder.made;
      };
      CHECK(choices(one) == choices(other));
    }
  }
}

TEST_CASE("deadline runs: a safety net that began before any loss of capacity") {
  // 40 min of work in 60 are less than two overheads of 11 min: on-demand at once.
  const DeadlineCase tight = case_of("ssssss", minutes(40), minutes(11));
  CHECK(run_of(tight, "greedy").net_before_loss);
  CHECK(run_of(tight, "greedy").spot_hours == 0);
  CHECK(run_of(tight, "uniform_progress").net_before_loss);
  CHECK_FALSE(run_of(tight, "on_demand").net_before_loss);
  CHECK_FALSE(run_of(tight, "spot_only").net_before_loss);
  CHECK_FALSE(run_of(case_of(".sssss", minutes(40), minutes(11)), "greedy").net_before_loss);
  CHECK_FALSE(run_of(case_of("ssssss", minutes(30), minutes(5)), "greedy").net_before_loss);
  // 35 min of work, 5 of overhead: a spot in the first tick leaves 30 min for 35. That is the net
  // in ticks, which keeps a strategy that has none of its own in time.
  const DeadlineCase whole = case_of("ssss", minutes(35), minutes(5));
  Plan spots(std::vector<Capacity>(4, Capacity::kSpot));
  CHECK(run_deadline(whole, spots, true).net_before_loss);
}

TEST_CASE("no strategy with a safety net is late, and none is cheaper than the optimum") {
  Random random(12), prices(16);
  for (int i = 0; i < 400; ++i) {
    DeadlineCase run = random_deadline_case(random, 60);
    if (i % 2 == 1) draw_prices(run, prices);
    if (ticks_for(run.job.duration, run.job.overhead, run.tick) > run.ticks()) continue;
    const double optimum = run_of(run, "optimal").cost;
    for (const DeadlineStrategyEntry& entry : deadline_strategies()) {
      CAPTURE(entry.name);
      // A quote that is quite wrong makes it dear, not late.
      const CapacityQuote quote{0.1 + 50 * random.uniform(), 0.1 + 50 * random.uniform()};
      const DeadlineResult result = run_of(run, entry.name.data(), SpellHistory(run.tick, quote));
      if (entry.name != "spot_only") REQUIRE(result.met_deadline);
      if (result.met_deadline) REQUIRE(result.cost >= optimum - 1e-9);
    }
  }
}

TEST_CASE("the quoted strategy beats uniform progress on traces that it was not made on") {
  // Seeds from 1000 on were never looked at while it was written.
  double uniform = 0, quoted = 0, optimum = 0;
  for (const AvailabilityModel& model : availability_models()) {
    for (std::uint64_t seed = 1000; seed < 1006; ++seed) {
      const AvailabilityTrace trace = make_availability(model, seed, 20 * kDay, minutes(10));
      DeadlineCase run = case_of("", std::chrono::hours(48), minutes(12));
      const std::size_t start = std::size_t{14} * 144;
      run.job.deadline = std::chrono::hours(seed % 2 == 0 ? 52 : 70);
      run.job.spot_price = 0.97;
      run.job.on_demand_price = 3.06;
      const auto ticks = static_cast<std::size_t>(run.job.deadline / run.tick);
      for (std::size_t i = start; i < start + ticks; ++i) run.spot.push_back(trace.capacity[i] > 0);
      uniform += run_of(run, "uniform_progress").cost;
      optimum += run_of(run, "optimal").cost;
      const DeadlineResult ours = run_of(run, "quoted", spells_before(trace, start));
      CHECK(ours.met_deadline);
      quoted += ours.cost;
    }
  }
  CHECK(quoted <= 0.98 * uniform);
  CHECK(quoted - optimum < 0.6 * (uniform - optimum));
}

}  // namespace
}  // namespace cospot
