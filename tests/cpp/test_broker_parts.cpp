// The parts of the broker, against the numbers of the paper and arithmetic.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "broker_fixtures.hpp"
#include "sim_harness/experiments/summary/mean_interval.hpp"

namespace cospot {
namespace {

TEST_CASE("urgency: U = max(0, D - T - (alpha e + B))") {
  // 10000 - 1000 - (2 x 3600 + 300) = 1500; with alpha 4: 9000 - 14700 < 0.
  CHECK(urgency(10'000, 1000, 2, 3600, 300) == 1500);
  CHECK(urgency(10'000, 1000, 4, 3600, 300) == 0);
}

TEST_CASE("snapshots: times to save and to restore, to 0.01 s") {
  struct Row {
    double memory_mb, save, near, far;
  };
  for (const Row row : {Row{1740, 27.33, 21.41, 42.81}, Row{7168, 112.58, 88.20, 176.38},
                        Row{7680, 120.62, 94.50, 188.98}, Row{15360, 241.24, 189.00, 377.95}}) {
    CHECK(std::abs(save_time(row.memory_mb) - row.save) < 0.01);
    CHECK(std::abs(restore_time(row.memory_mb, true) - row.near) < 0.01);
    CHECK(std::abs(restore_time(row.memory_mb, false) - row.far) < 0.01);
  }
}

TEST_CASE("bids on the window .026 .029 .031 .030") {
  const PriceSeries prices({{0, 26'000}, {3600, 29'000}, {7200, 31'000}, {10'800, 30'000}});
  const InstanceType& small = types_of_2011()[0];
  const Seconds now = 12'000;
  CHECK(find_bid("minimum").bid(prices, small, now) == 27'000);
  CHECK(find_bid("mean").bid(prices, small, now) == 29'000);  // .116 / 4
  CHECK(find_bid("current").bid(prices, small, now) == 31'000);
  CHECK(find_bid("high").bid(prices, small, now) == 100 * kUsd);
  CHECK(find_bid("on_demand").bid(prices, small, now) == 85'000);
  // A week later, only the price that holds since before the window.
  CHECK(find_bid("minimum").bid(prices, small, 10'800 + kBidWindow) == 31'000);
}

TEST_CASE("Algorithm 1: the three branches") {
  // U = 0, b <= P: P + G.
  CHECK(check_bid(30'000, 30'000, 0, 50).bid == 31'000);
  CHECK(check_bid(30'000, 30'000, 0, 50).starts_now);
  // U = 0, b > P: b.
  CHECK(check_bid(31'000, 30'000, 0, 50).bid == 31'000);
  // U > 0: b, and again at T + U.
  const BidCheck later = check_bid(30'000, 30'000, 100, 50);
  CHECK(later.bid == 30'000);
  CHECK(later.check_again == 150);
  CHECK_FALSE(later.starts_now);
  CHECK(check_bid(31'000, 30'000, 100, 50).starts_now);
}

TEST_CASE("Downey's speedup: 1 on one processor, linear without variance, never above n or A") {
  for (const double a : {1.0, 1.5, 7.0, 64.0}) {
    for (const double sigma : {0.0, 0.3, 1.0, 1.7, 5.0}) {
      CHECK(downey_speedup(1, a, sigma) == doctest::Approx(1));
      double before = 0;
      for (double n = 1; n <= 400; ++n) {
        const double speedup = downey_speedup(n, a, sigma);
        CHECK(speedup <= std::min(n, a) + 1e-12);
        CHECK(speedup >= before - 1e-12);
        before = speedup;
      }
      CHECK(before == doctest::Approx(a));
    }
  }
  CHECK(downey_speedup(5, 7, 0) == doctest::Approx(5));
  // A = 8, sigma = 1, n = 4: 32 / (8 + 3/2) = 3.3684; sigma = 2: 4 x 8 x 3 / (2 x 11 + 8) = 3.2.
  CHECK(downey_speedup(4, 8, 1) == doctest::Approx(32 / 9.5));
  CHECK(downey_speedup(4, 8, 2) == doctest::Approx(3.2));
}

TEST_CASE("user estimates: round, not below the run time, accuracies spread evenly") {
  CHECK(user_estimate(100, 0) == 300);    // at least 5 minutes
  CHECK(user_estimate(3000, 0) == 3600);  // rounded up to an hour
  CHECK(user_estimate(3000, 0.5) == 7200);
  CHECK(user_estimate(400'000, 0.9) == 400'000);  // longer than every round value
  for (double draw = 0; draw < 1; draw += 0.01) CHECK(user_estimate(5000, draw) >= 5000);
}

TEST_CASE("the preferred type: most cores for more than an hour") {
  const std::vector<InstanceType>& types = types_of_2011();
  const auto preferred = [&types](double work, double parallelism) {
    BrokerJob job = serial_job(0, work, 0);
    job.parallelism = parallelism;
    std::vector<Seconds> expected;
    for (const InstanceType& type : types) expected.push_back(time_on(type, work, job));
    return types[preferred_type(types, job, expected)].name;
  };
  CHECK(preferred(600, 64) == "m1.small");         // an hour on none: fewest cores
  CHECK(preferred(36'000, 1) == "m1.small");       // serial: one core on each, cheapest
  CHECK(preferred(3600 * 10, 64) == "m1.xlarge");  // 20 cores: half an hour; 8: 75 minutes
  CHECK(preferred(3600 * 100, 64) == "c1.xlarge");
  // Five cores are all that a job of parallelism 5 uses, of c1.medium's 5 as of dearer types.
  CHECK(preferred(3600 * 100, 5) == "c1.medium");
}

TEST_CASE("jobs of a log: first so many, in time, with draws that a seed fixes") {
  std::vector<Job> log;
  for (const int second : {50, 10, 5000, 20, 90'000}) {
    Job job;
    job.submission = std::chrono::seconds(second);
    job.duration = std::chrono::seconds(second == 20 ? 0 : 1000);
    job.user = 4;
    log.push_back(job);
  }
  log.push_back(Job{.submission = std::chrono::seconds(60)});  // no run time
  const std::vector<BrokerJob> jobs = make_broker_jobs(log, 10, 86'400, 1);
  REQUIRE(jobs.size() == 3);  // without those of no run time, and the one a day later
  CHECK(jobs[0].submission == 0);
  CHECK(jobs[1].submission == 40);
  CHECK(jobs[2].submission == 4990);
  CHECK(make_broker_jobs(log, 2, 86'400, 1).size() == 2);
  CHECK(jobs == make_broker_jobs(log, 10, 86'400, 1));
  CHECK(jobs != make_broker_jobs(log, 10, 86'400, 2));
  for (const BrokerJob& job : jobs) {
    CHECK(job.work == doctest::Approx(1000));
    CHECK(job.estimate >= 1000);
    CHECK(job.deadline - job.submission >= std::floor(1.5 * job.estimate));
    CHECK(job.deadline - job.submission <= std::ceil(4 * job.estimate));
    CHECK(job.parallelism >= 1);
    CHECK(job.parallelism <= 64);
  }
}

TEST_CASE("jobs of a log: what it states holds, and changes no other draw") {
  std::vector<Job> log(3);
  for (std::size_t i = 0; i < log.size(); ++i) {
    log[i].submission = std::chrono::seconds(100 * (i + 1));
    log[i].duration = std::chrono::seconds(1000);
  }
  const std::vector<BrokerJob> drawn = make_broker_jobs(log, 10, 86'400, 1);
  log[1].parallelism = 4;
  log[1].processors = 2;
  log[1].estimate = std::chrono::seconds(1500);
  log[1].deadline = std::chrono::seconds(7200);
  log[1].memory_mb = 2000;
  const std::vector<BrokerJob> stated = make_broker_jobs(log, 10, 86'400, 1);
  CHECK(stated[0] == drawn[0]);
  CHECK(stated[2] == drawn[2]);
  CHECK(stated[1].sigma == 0);                         // linear up to 4 cores
  CHECK(stated[1].work == doctest::Approx(2000));      // 1000 s on 2 cores
  CHECK(stated[1].estimate == doctest::Approx(3000));  // 1500 s on 2 cores
  CHECK(stated[1].deadline == 7100);                   // since the first submission, at 100 s
  CHECK(time_on({.name = "four", .ecu = 4, .memory_mb = 2000}, stated[1].work, stated[1]) == 500);
  CHECK(time_on({.name = "small", .ecu = 4, .memory_mb = 1999}, stated[1].work, stated[1]) ==
        kDoesNotFit);
}

TEST_CASE("optimal interval: sqrt(2 x save x lifetime), with the lifetime of the last week") {
  // Bid 30 in bid for 6 days of the week, revoked twice: a lifetime of 3 days = 259200 s.
  // sqrt(2 x 28 x 259200) = 3809.9 s.
  constexpr Seconds kDaySeconds = 86'400;
  const PriceSeries prices({{0, 20},
                            {2 * kDaySeconds, 40},
                            {kDaySeconds * 5 / 2, 20},
                            {5 * kDaySeconds, 40},
                            {kDaySeconds * 11 / 2, 20},
                            {20 * kDaySeconds, 20}});
  CHECK(observed_lifetime(prices, 30, 7 * kDaySeconds) == 3 * kDaySeconds);
  CHECK(OptimalInterval().interval(
            {.prices = &prices, .bid = 30, .now = 7 * kDaySeconds, .save = 28}) == 3810);
}

TEST_CASE("market choices: by preferred type, by cost, by lifetime, by own leases") {
  MarketSet set;
  const std::vector<InstanceType>& types = types_of_2011();
  set.add(types[0], "os", "a", PriceSeries({{0, 30'000}, {kBidWindow, 30'000}}));
  set.add(types[0], "os", "b", PriceSeries({{0, 29'000}, {kBidWindow, 29'000}}));
  set.add(types[3], "os", "a", PriceSeries({{0, 20'000}, {kBidWindow, 20'000}}));
  const std::vector<Seconds> expected{7000, 3000};
  const std::vector<std::uint32_t> leases{0, 5, 0};
  MarketQuestion question{.markets = &set,
                          .bid = &find_bid("current"),
                          .now = kBidWindow,
                          .boot = 300,
                          .expected = expected,
                          .preferred_type = 0,
                          .leases = leases};
  CHECK(find_market_choice("preferred").choose(question) == 1);
  question.avoid = 1;
  CHECK(find_market_choice("preferred").choose(question) == 0);
  question.avoid = kNoMarket;
  CHECK(find_market_choice("cheapest").choose(question) == 2);  // 1 h x .02 against 3 h x .029
  question.avoid = 2;
  CHECK(find_market_choice("diversified").choose(question) == 0);  // .09 <= 1.1 x .087, no lease
}

TEST_CASE("market choices: a short lifetime is dear") {
  // b is cheaper but goes out of bid every hour; a never does.
  std::vector<PriceChange> restless;
  for (Seconds at = 0; at < kBidWindow; at += 2 * kHour) {
    restless.push_back({at, 20'000});
    restless.push_back({at + kHour, 40'000});
  }
  restless.push_back({kBidWindow, 20'000});
  MarketSet set;
  set.add(types_of_2011()[0], "os", "a", PriceSeries({{0, 25'000}}));
  set.add(types_of_2011()[0], "os", "b", PriceSeries(restless));
  const std::vector<Seconds> expected{5 * kHour};
  const std::vector<std::uint32_t> leases{0, 0};
  const MarketQuestion question{.markets = &set,
                                .bid = &find_bid("current"),
                                .now = kBidWindow,
                                .boot = 300,
                                .expected = expected,
                                .preferred_type = 0,
                                .leases = leases};
  CHECK(find_market_choice("cheapest").choose(question) == 1);
  CHECK(find_market_choice("lifetime").choose(question) == 0);
}

TEST_CASE("means over seeds: Student's t") {
  // 1, 2, 3: mean 2, standard deviation 1, t(0.975; 2) = 4.30265: 4.30265 / sqrt(3) = 2.48414.
  const MeanInterval mean = mean_interval(std::array{1.0, 2.0, 3.0});
  CHECK(mean.mean == doctest::Approx(2));
  CHECK(*mean.half_width == doctest::Approx(2.48414).epsilon(1e-5));
  CHECK_FALSE(mean_interval(std::array{5.0}).half_width.has_value());
}

TEST_CASE("a ratio of sums counts longer parts for more") {
  // (10 + 2) / (2 + 1) = 4, where the mean of 10 / 2 and 2 / 1 is 3.5. The residuals 10 - 4 x 2 and
  // 2 - 4 x 1 have a standard deviation of sqrt(8), t(0.975; 1) = 12.7062:
  // 12.7062 x sqrt(8) / sqrt(2) / 1.5 = 16.9416.
  const MeanInterval ratio = ratio_interval(std::array{10.0, 2.0}, std::array{2.0, 1.0});
  CHECK(ratio.mean == doctest::Approx(4));
  CHECK(*ratio.half_width == doctest::Approx(16.9416).epsilon(1e-5));
  // Of equal parts it is the mean of the quotients.
  const MeanInterval equal = ratio_interval(std::array{2.0, 4.0, 6.0}, std::array{2.0, 2.0, 2.0});
  const MeanInterval mean = mean_interval(std::array{1.0, 2.0, 3.0});
  CHECK(equal.mean == doctest::Approx(mean.mean));
  CHECK(*equal.half_width == doctest::Approx(*mean.half_width));
  CHECK_FALSE(ratio_interval(std::array{10.0}, std::array{2.0}).half_width.has_value());
}

}  // namespace
}  // namespace cospot
