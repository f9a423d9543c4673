// Whole runs of the broker: billing by hand, conservation, the paper's directions.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "broker_fixtures.hpp"

namespace cospot {
namespace {

/// The result of a run whose sums hold, and what happened.
struct Checked : BrokerResult {
  Checked(const MarketSet& markets, const std::vector<BrokerJob>& todo,
          const BrokerSettings& settings) {
    static_cast<BrokerResult&>(*this) = run_broker(markets, todo, settings, &events);
    CHECK(paid == useful + lost + overhead + idle);
    CHECK(jobs == completed + unfinished);
    CHECK(cost == events.money());
  }
  BrokerEvents events;
};

/// Settings with instances that work at once.
BrokerSettings instant_settings(const std::string& bid, const std::string& mechanism,
                                double alpha = 2) {
  BrokerSettings settings = broker_settings(bid, mechanism, alpha);
  settings.boot = 0;
  return settings;
}

TEST_CASE("hourly billing: a revoked hour is free, one that the client ends is not") {
  // Booted at once, so that the hours are the job's: 1 h at .026, then .028; out of bid (.085) at
  // 1 h 40. The job of 10 h never ends: its only instance is revoked, and the price stays high.
  const MarketSet markets = small_markets({{{0, 26'000}, {3600, 28'000}, {6000, 90'000}}});
  BrokerSettings settings = instant_settings("on_demand", "checkpoint");
  const Checked result(markets, {serial_job(0, 36'000, 1'000'000)}, settings);
  CHECK(result.cost == 26'000);
  CHECK(result.revocations == 1);
  CHECK(result.unfinished == 1);
  CHECK(result.deadline_violations == 1);
  CHECK(result.paid == 3600);
  // The same but for the price: done after 1 h 40, both hours are paid: .026 + .028 = .054.
  const MarketSet calm = small_markets({{{0, 26'000}, {3600, 28'000}}});
  settings.fault_tolerance = &find_fault_tolerance("none");
  const Checked done(calm, {serial_job(0, 6000, 1'000'000)}, settings);
  CHECK(done.cost == 54'000);
  CHECK(done.useful == 6000);
  CHECK(done.idle == 1200);  // until the end of the hour that is paid
}

TEST_CASE("hourly billing: a revocation on the hour leaves a full hour, which is paid") {
  const MarketSet markets = small_markets({{{0, 26'000}, {3600, 90'000}, {7200, 26'000}}});
  const Checked result(markets, {serial_job(0, 5400, 1'000'000)},
                       instant_settings("on_demand", "none"));
  // 1 h lost; U > 0 and the bid is not above the price, so it starts again at 2 h: 2 hours.
  CHECK(result.events.count("revocation", 3600) == 1);
  CHECK(result.lost == 3600);
  CHECK(result.useful == 5400);
  CHECK(result.idle == 1800);
  CHECK(result.cost == 3 * 26'000);
}

TEST_CASE("per-second billing: the price of every second, 60 s at least, with a notice") {
  const MarketSet markets = small_markets({{{0, 36'000}, {1800, 72'000}, {3000, 90'000}}});
  BrokerSettings settings = instant_settings("on_demand", "migration");
  settings.billing = Billing::kPerSecond;
  // .036 USD/h is 10 micro-USD a second. A job of 20 s, idle for 60 s.
  const Checked result(markets, {serial_job(0, 20, 1'000'000)}, settings);
  CHECK(result.cost == 80 * 10);
  CHECK(result.useful == 20);
  CHECK(result.idle == 60);
  // Across a change: 1800 s at 10, then 1200 s at 20 micro-USD a second until it is out of bid.
  settings.fault_tolerance = &find_fault_tolerance("none");
  const Checked lost(markets, {serial_job(0, 100'000, 1'000'000)}, settings);
  REQUIRE(lost.events.count("seconds", 3000) == 1);
  for (const BrokerObserver::Event& event : lost.events.events) {
    if (event.what == "seconds" && event.time == 3000) CHECK(event.amount == 18'000 + 24'000);
  }
  CHECK(lost.lost == 3000);
}

TEST_CASE("a notice of two minutes is used to save") {
  // Out of bid at 3000 s, ended at 3120 s; 28 s of saving before it: 3092 s are kept. Restored
  // (22 s) in the other datacenter (43 s), where the price is higher.
  const MarketSet markets = small_markets({{{0, 26'000}, {3000, 90'000}}, {{0, 30'000}}});
  BrokerSettings settings = instant_settings("on_demand", "migration");
  settings.notice = 120;
  const Checked result(markets, {serial_job(0, 5000, 1'000'000)}, settings);
  CHECK(result.events.count("revocation", 3120) == 1);
  CHECK(result.checkpoints == 1);
  CHECK(result.restores == 1);
  CHECK(result.events.count("finish", 3120 + 43 + 5000 - 3092) == 1);
  CHECK(result.cost == 30'000);  // the revoked hour is free
  CHECK(result.lost == 0);
}

TEST_CASE("hourly checkpoints: paid work is kept, and the same request waits") {
  // 2 h of work; the price is too high from 1 h 30 to 3 h. Saved before the end of hour 1 (28 s).
  const MarketSet markets = small_markets({{{0, 26'000}, {5400, 90'000}, {10'800, 26'000}}});
  const Checked result(markets, {serial_job(0, 7200, 1'000'000)},
                       instant_settings("on_demand", "checkpoint"));
  // Resumed at 3 h: 22 s to restore, 3572 s are done, 3628 left; 28 s to save before the hour ends.
  CHECK(result.events.count("resume", 10'800) == 1);
  CHECK(result.requests == 1);
  CHECK(result.checkpoints == 2);
  CHECK(result.restores == 1);
  CHECK(result.events.count("finish", 10'800 + 22 + 3628 + 28) == 1);
  CHECK(result.lost == 0);  // half an hour was lost, but not paid
  CHECK(result.useful == 7200);
  CHECK(result.cost == 3 * 26'000);
}

TEST_CASE("hourly checkpoints: none of a job that ends within the hour") {
  // The snapshot would begin at 3600 - 28 s; the job is done at 3590 s, and one hour is paid.
  const MarketSet markets = small_markets({{{0, 26'000}}});
  for (const char* mechanism : {"checkpoint", "migration"}) {
    const Checked result(markets, {serial_job(0, 3590, 100'000)},
                         instant_settings("high", mechanism));
    CHECK(result.checkpoints == 0);
    CHECK(result.events.count("finish", 3590) == 1);
    CHECK(result.cost == 26'000);
  }
}

TEST_CASE("hourly checkpoints: what has no snapshot does not wait for the same request") {
  // The price of market a is too high from 1800 s, or from 4500 s, to 3 h; b costs 0.030 always.
  for (const Seconds revoked : {1800, 4500}) {
    const bool saved = revoked > 3600;
    const MarketSet markets =
        small_markets({{{0, 26'000}, {revoked, 90'000}, {10'800, 26'000}}, {{0, 30'000}}});
    // The second job waits behind the first: 1700 s of the first hour, or 2172 of the second.
    const Checked result(
        markets,
        {serial_job(0, saved ? 5000 : 1900, 1'000'000), serial_job(revoked - 300, 1500, 1'000'000)},
        instant_settings("on_demand", "checkpoint"));
    // Saved: 3572 s are done, restored in 22 s at 3 h. Else both start again, in one hour of b.
    CHECK(result.events.count("resume", 10'800) == (saved ? 1 : 0));
    CHECK(result.events.count("finish", saved ? 10'800 + 22 + 1428 : revoked + 1500 + 1900) == 1);
    CHECK(result.events.count("finish", revoked + 1500) == 1);
    CHECK(result.cost == (saved ? 2 * 26'000 : 0) + 30'000);
  }
}

TEST_CASE("an instance is expected to be free after its snapshots, and after what was left") {
  // 5000 s and a snapshot of 28 s leave 2172 s of the second hour for a job that comes at 3660 s;
  // resumed at 3 h, 22 s to restore and 1428 of 5000 s leave 2150 s.
  const auto requests = [](Seconds revoked, Seconds comes, int takes) {
    const MarketSet markets = small_markets({{{0, 26'000}, {revoked, 90'000}, {10'800, 26'000}}});
    const Checked result(markets, {serial_job(0, 5000, 100'000), serial_job(comes, takes, 100'000)},
                         instant_settings("on_demand", "checkpoint"));
    return static_cast<int>(result.requests);
  };
  for (const int more : {0, 1}) {
    CHECK(requests(9000, 3660, 2172 + more) == 1 + more);
    CHECK(requests(4500, 10'860, 2150 + more) == 1 + more);
  }
}

TEST_CASE("duplication: the first of two wins; the other's paid time is lost") {
  const MarketSet markets = small_markets({{{0, 26'000}}, {{0, 27'000}}});
  const Checked result(markets, {serial_job(0, 5000, 1'000'000), serial_job(0, 1000, 100'000)},
                       instant_settings("high", "duplication"));
  CHECK(result.completed == 2);
  CHECK(result.lost == 5000);
  std::vector<std::uint32_t> markets_of_job;
  for (const BrokerObserver::Event& event : result.events.events) {
    if (event.what == "start" && event.job == 0) markets_of_job.push_back(event.market);
  }
  CHECK(markets_of_job == std::vector<std::uint32_t>{0, 1});
}

TEST_CASE("reuse: a job fits into what is left of a paid hour") {
  const MarketSet markets = small_markets({{{0, 26'000}}});
  // 600 s, then at 1200 s 2000 s more: one instance, one hour.
  const Checked result(markets, {serial_job(0, 600, 100'000), serial_job(1200, 2000, 100'000)},
                       instant_settings("high", "none", 20));
  CHECK(result.requests == 1);
  CHECK(result.cost == 26'000);
}

TEST_CASE("a job that cannot wait runs on-demand, if the broker may") {
  // No capacity at all: with the fallback it is done in time, without it never.
  const MarketSet markets = small_markets({{{0, kNoCapacityPrice}, {9'000'000, kNoCapacityPrice}}});
  BrokerSettings settings = broker_settings("on_demand", "none");
  settings.on_demand_fallback = true;
  const Checked result(markets, {serial_job(0, 3000, 20'000)}, settings);
  CHECK(result.deadline_violations == 0);
  CHECK(result.cost == 85'000);
  CHECK(result.on_demand == 3600);
}

TEST_CASE("the fallback takes the market in which on-demand costs least, not the spot") {
  // Spots of c1.medium cost less than those of m1.small; on-demand it is the other way round. Of
  // 6,000 s, 2 x 3,000 s of work and 300 s of boot leave none to wait.
  MarketSet markets;
  const std::vector<InstanceType>& types = types_of_2011();
  markets.add(types[0], "os", "a", PriceSeries({{-kBidWindow, 80'000}, {1, 80'000}}));
  markets.add(types[3], "os", "a", PriceSeries({{-kBidWindow, 20'000}, {1, 20'000}}));
  BrokerSettings settings = broker_settings("high", "none");
  settings.market_choice = &find_market_choice("cheapest");
  const std::vector<BrokerJob> jobs{serial_job(0, 3000, 6000)};
  CHECK(Checked(markets, jobs, settings).cost == 20'000);
  settings.on_demand_fallback = true;
  CHECK(Checked(markets, jobs, settings).cost == 85'000);
}

TEST_CASE("the fallback does not extend a spot, which may be revoked") {
  // When the second job comes, an idle spot has 240 s of its paid hour left. Another hour of it
  // costs less than one on-demand, but the job has no time for a failure.
  const MarketSet markets = small_markets({{{0, 80'000}}});
  BrokerSettings settings = broker_settings("high", "none");
  const std::vector<BrokerJob> jobs{serial_job(0, 3000, 100'000), serial_job(3360, 3000, 9360)};
  CHECK(Checked(markets, jobs, settings).cost == 2 * 80'000);
  settings.on_demand_fallback = true;
  const Checked result(markets, jobs, settings);
  CHECK(result.cost == 80'000 + 85'000);
  CHECK(result.on_demand == 3600);
}

TEST_CASE("memory: a job starts only where it fits, and a snapshot saves what it has") {
  // m1.small (1,740 MiB) costs less everywhere, but 4,000 MiB fit on m1.large only; with
  // duplication both copies need a market of it.
  MarketSet markets;
  const std::vector<InstanceType>& types = types_of_2011();
  markets.add(types[0], "os", "a", PriceSeries({{-kBidWindow, 20'000}, {1, 20'000}}));
  markets.add(types[1], "os", "a", PriceSeries({{-kBidWindow, 100'000}, {1, 100'000}}));
  BrokerJob job = serial_job(0, 7000, 100'000);
  job.memory_mb = 4000;
  const std::vector<BrokerJob> jobs{job};
  for (const MarketChoiceEntry& choice : market_choices()) {
    for (const FaultToleranceEntry& mechanism : fault_tolerance_mechanisms()) {
      CAPTURE(choice.name);
      CAPTURE(mechanism.name);
      BrokerSettings settings = broker_settings("high", std::string(mechanism.name));
      settings.market_choice = choice.choice;
      const Checked result(markets, jobs, settings);
      CHECK(result.completed == 1);
      for (const BrokerObserver::Event& event : result.events.events) {
        if (event.what == "start") CHECK(event.market == 1);
      }
    }
  }
  // Hourly snapshots end with the hour: at 3600 - 4000 / 63.67 (62.8, rounded up 63) it begins.
  const Checked result(markets, jobs, broker_settings("high", "checkpoint"));
  CHECK(result.events.count("save", 3600) == 1);
  // 300 s of boot, and a save of 63 s in the first and in the second hour.
  CHECK(result.overhead == 300 + 2 * 63);
}

/// 2,000 jobs on 20 synthetic markets.
struct Experiment2011 {
  MarketSet markets = make_markets({.seed = 5, .days = 30}, types_of_2011());
  std::vector<Job> log = make_synthetic_log(2000, Seconds{2} * 86'400, 3);

  [[nodiscard]] Checked run(BrokerSettings settings, std::uint64_t seed) const {
    settings.start = static_cast<Seconds>(8 + seed % 12) * 86'400;
    return {markets, make_broker_jobs(log, 2000, Seconds{2} * 86'400, seed), settings};
  }
};

TEST_CASE("conservation: every mechanism, bid, choice and billing; the same again") {
  const Experiment2011 all;
  for (const FaultToleranceEntry& mechanism : fault_tolerance_mechanisms()) {
    for (const BidStrategyEntry& bid : bid_strategies()) {
      BrokerSettings settings = broker_settings(std::string(bid.name), std::string(mechanism.name));
      const std::size_t variant = static_cast<std::size_t>(&bid - bid_strategies().data());
      settings.market_choice = market_choices()[variant % market_choices().size()].choice;
      settings.billing = variant % 2 == 0 ? Billing::kHourly : Billing::kPerSecond;
      settings.notice = variant == 3 ? 120 : 0;
      settings.on_demand_fallback = variant == 2;
      settings.postpones = variant == 1;
      CAPTURE(mechanism.name);
      CAPTURE(bid.name);
      const Checked result = all.run(settings, 7), again = all.run(settings, 7);
      CHECK(result.jobs == 2000);
      CHECK(again.cost == result.cost);
      const std::vector<BrokerObserver::Event>& events = result.events.events;
      CHECK(again.events.events.size() == events.size());
      const auto finished =
          std::ranges::count(events, std::string_view("finish"), &BrokerObserver::Event::what);
      CHECK(static_cast<std::uint64_t>(finished) == result.completed);
    }
  }
}

TEST_CASE("the paper's directions on a small scale") {
  const Experiment2011 all;
  struct Sum {
    double cost = 0, violations = 0, revocations = 0;
    [[nodiscard]] double per_useful() const { return cost / (10'000 - violations); }
  };
  const auto sum = [&all](const char* bid, const char* mechanism, double alpha = 2) {
    Sum result;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Checked one = all.run(broker_settings(bid, mechanism, alpha), seed);
      result.cost += static_cast<double>(one.cost);
      result.violations += static_cast<double>(one.deadline_violations);
      result.revocations += static_cast<double>(one.revocations);
    }
    return result;
  };
  const Sum none = sum("minimum", "none");
  CHECK(sum("high", "none").revocations == 0);
  CHECK(none.cost > sum("on_demand", "none").cost);
  CHECK(sum("minimum", "migration").per_useful() < none.per_useful());
  CHECK(sum("minimum", "checkpoint").per_useful() < none.per_useful());
  CHECK(sum("minimum", "duplication").cost > none.cost);
  CHECK(sum("on_demand", "duplication").cost > sum("on_demand", "none").cost);
  CHECK(sum("minimum", "none", 8).violations <= sum("minimum", "none", 1).violations);
}

TEST_CASE("a market that ends without capacity: the jobs that are left stay unfinished") {
  // Capacity for the first two hours only; the second job comes after them. Also with a second
  // market that never has any.
  const std::vector<PriceChange> ends{{0, 26'000}, {7200, kNoCapacityPrice}};
  const std::vector<PriceChange> never{{0, kNoCapacityPrice}};
  const std::vector<BrokerJob> jobs{serial_job(0, 3000, 100'000), serial_job(9000, 3000, 100'000)};
  using Histories = std::vector<std::vector<PriceChange>>;
  for (const Histories& histories : {Histories{ends}, Histories{ends, never}}) {
    const MarketSet markets = small_markets(histories);
    for (const FaultToleranceEntry& mechanism : fault_tolerance_mechanisms()) {
      CAPTURE(mechanism.name);
      const Checked result(markets, jobs, broker_settings("high", std::string(mechanism.name)));
      CHECK(result.completed == 1);
      CHECK(result.unfinished == 1);
      CHECK(result.cost == 26'000);  // 300 s of boot and 3000 s: one hour
    }
  }
}

TEST_CASE("without capacity no bid gets an instance") {
  // Capacity ends at 100 s and comes back at 5000 s; a job comes in between, when a bid of the
  // current price, or of the lowest of a week without capacity, must not buy what is not there.
  constexpr Seconds kWeekLater = kBidWindow + 5000;
  const MarketSet markets = small_markets(
      {{{0, 26'000}, {100, kNoCapacityPrice}, {kWeekLater, 26'000}, {kWeekLater + 9000, 26'000}}});
  for (const BidStrategyEntry& bid : bid_strategies()) {
    CAPTURE(bid.name);
    const Checked result(markets, {serial_job(kBidWindow + 1000, 600, 2'000'000)},
                         broker_settings(std::string(bid.name), "none"));
    for (const BrokerObserver::Event& event : result.events.events) {
      if (event.what == "start") CHECK(event.time >= kWeekLater);
      CHECK(event.amount <= 26'000);
    }
  }
}

TEST_CASE("notice: the seconds after the capacity is gone cost what those before did") {
  // 0.036 USD/h, 10 micro-dollars a second, until 1000 s; the instance works until 1120 s.
  const MarketSet markets = small_markets({{{0, 36'000}, {1000, kNoCapacityPrice}}});
  BrokerSettings settings = broker_settings("high", "none");
  settings.notice = 120;
  settings.billing = Billing::kPerSecond;
  CHECK(Checked(markets, {serial_job(0, 3000, 100'000)}, settings).cost == 11'200);
  // By the hour: a job that ends in an hour which began after the capacity was gone pays two hours.
  const MarketSet late = small_markets({{{0, 36'000}, {3590, kNoCapacityPrice}}});
  settings.billing = Billing::kHourly;
  const std::vector<BrokerJob> two{serial_job(0, 3350, 100'000)};  // until 3650 s, with its boot
  const Checked result(late, two, settings);
  CHECK(result.completed == 1);
  CHECK(result.cost <= 2 * 36'000);
}

TEST_CASE("where prices never reach on-demand, High and On-demand are the same") {
  const Experiment2011 all{
      .markets = make_markets({.seed = 5, .days = 30, .spikes_per_100_days = 0}, types_of_2011())};
  const Checked high = all.run(broker_settings("high", "none"), 3);
  const Checked on_demand = all.run(broker_settings("on_demand", "none"), 3);
  CHECK(high.cost == on_demand.cost);
  CHECK(high.deadline_violations == on_demand.deadline_violations);
  CHECK(high.revocations == 0);
}

}  // namespace
}  // namespace cospot
