#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "guarantees/pricing/class_table.hpp"
#include "guarantees/pricing/demand.hpp"
#include "guarantees/pricing/idle_periods.hpp"
#include "guarantees/pricing/predictability.hpp"
#include "guarantees/pricing/server_idle.hpp"
#include "tests/cpp/error_text.hpp"

namespace cospot {
namespace {

using doctest::Approx;
using std::chrono::hours;
using std::chrono::minutes;

struct Interval {
  SimTime start, end;
  std::int64_t width = 1;
};

Demand demand_of(const std::vector<Interval>& intervals) {
  DemandSum sum;
  for (const Interval& each : intervals) sum.add(each.start, each.end, each.width);
  return sum.finish();
}

TEST_CASE("DemandSum: a step where the number in use changes, ends before starts") {
  const Demand demand = demand_of({{hours(1), hours(3), 2},
                                   {hours(3), hours(4), 2},
                                   {hours(2), kNever, 1},
                                   {hours(9), hours(9)}});
  // 2 from 1 to 4, 3 from 2 on; at 3 two end and two start.
  CHECK(demand.steps == std::vector<DemandStep>{{hours(1), 2}, {hours(2), 3}, {hours(4), 1}});
  CHECK(demand.peak() == 3);
  CHECK(contains(error_text<ConfigError>([] { DemandSum().add(hours(2), hours(1), 1); }),
                 "before it starts"));
  CHECK(contains(error_text<ConfigError>([] { DemandSum().add(hours(1), hours(2), -1); }),
                 "a width is -1"));
}

TEST_CASE("idle_by_rank: three ranks worked by hand") {
  // In use: 3 from 0 to 1, 1 from 1 to 4, 2 from 4 to 5, 0 from 5 to 6, 3 from 6 to 6:05,
  // 1 from 6:05 to 6:10, 2 from 6:10 to 8; the span is 0 to 8.
  const Demand demand = demand_of({{hours(0), hours(1), 3},
                                   {hours(1), hours(4), 1},
                                   {hours(4), hours(5), 2},
                                   {hours(6), hours(6) + minutes(5), 3},
                                   {hours(6) + minutes(5), hours(8), 1},
                                   {hours(6) + minutes(10), hours(8), 1}});
  const std::vector<ServerIdle> ranks = idle_by_rank(demand, 3, {hours(0), hours(8)});
  // Rank 1 is idle 5-6, ended by a revocation.
  CHECK(ranks[0].idle == hours(1));
  CHECK(ranks[0].revocations == 1);
  // Rank 2 is idle 1-4 and 5-6; 6:05-6:10 is too short.
  CHECK(ranks[1].idle == hours(4));
  CHECK(ranks[1].revocations == 2);
  // Rank 3 is idle 1-6, and from 6:05 to the end of the span: no revocation.
  CHECK(ranks[2].idle == hours(5) + hours(1) + minutes(55));
  CHECK(ranks[2].revocations == 1);
  CHECK(ranks[1].mttr_hours() == Approx(2));
}

TEST_CASE("idle_by_rank: both edges of the span count what was seen") {
  const Demand demand =
      demand_of({{hours(0), hours(1), 3}, {hours(1), hours(9), 1}, {hours(6), hours(7), 1}});
  const std::vector<ServerIdle> ranks = idle_by_rank(demand, 3, {hours(2), hours(8)});
  CHECK(ranks[0].idle == SimTime(0));  // in use all the time
  // 1-6 began before: from 2 on, with its revocation; 7-8 goes on after it, without one.
  CHECK(ranks[1].idle == hours(4) + hours(1));
  CHECK(ranks[1].revocations == 1);
  CHECK(ranks[2].idle == hours(6));  // free all the time
  CHECK(std::isinf(ranks[2].mttr_hours()));
}

TEST_CASE("idle_by_rank: a cloud that grows is idle until it has grown") {
  // Of 10 servers one more is in use each day, from day 1 on, and stays so: rank r is idle r days.
  std::vector<Interval> jobs;
  for (int day = 1; day <= 10; ++day) jobs.push_back({hours(24 * day), kNever});
  const std::vector<ServerIdle> ranks = idle_by_rank(demand_of(jobs), 10, {hours(0), hours(264)});
  for (std::size_t rank = 0; rank < 10; ++rank) {
    CHECK(ranks[rank].idle == static_cast<int>(rank + 1) * hours(24));
    CHECK(ranks[rank].revocations == 1);
  }
}

/// The same minute by minute, each rank on its own.
std::vector<ServerIdle> slow_idle(const std::vector<Interval>& jobs, std::size_t servers, int from,
                                  int to) {
  std::vector<int> busy(static_cast<std::size_t>(to) + 1, 0);
  for (const Interval& job : jobs) {
    for (SimTime t = job.start; t < job.end && t < minutes(to); t += minutes(1)) {
      busy[static_cast<std::size_t>(t / minutes(1))] += static_cast<int>(job.width);
    }
  }
  std::vector<ServerIdle> ranks(servers);
  for (std::size_t rank = 0; rank < servers; ++rank) {
    const auto idle = [&](int t) {
      return busy[static_cast<std::size_t>(t)] <= static_cast<int>(rank);
    };
    for (int t = from; t < to;) {
      if (!idle(t)) {
        ++t;
        continue;
      }
      int end = t;
      while (end < to && idle(end)) ++end;
      if (end - t >= 10) {
        ranks[rank].idle += minutes(end - t);
        ranks[rank].revocations += end < to ? 1 : 0;
      }
      t = end;
    }
  }
  return ranks;
}

TEST_CASE("idle_by_rank: as minute by minute on random jobs") {
  Random random(5);
  for (int round = 0; round < 30; ++round) {
    std::vector<Interval> jobs;
    for (int i = 0; i < 60; ++i) {
      const auto start = static_cast<int>(random.below(900));
      const auto length = static_cast<int>(1 + random.below(120));
      jobs.push_back({minutes(start), minutes(start + length),
                      static_cast<std::int64_t>(1 + random.below(3))});
    }
    const auto slow = slow_idle(jobs, 12, 99, 800);
    const auto fast = idle_by_rank(demand_of(jobs), 12, {minutes(99), minutes(800)});
    for (std::size_t rank = 0; rank < 12; ++rank) {
      CAPTURE(rank);
      CHECK(fast[rank].idle == slow[rank].idle);
      CHECK(fast[rank].revocations == slow[rank].revocations);
    }
  }
}

TEST_CASE("idle_by_server: recorded periods are checked") {
  const std::vector<IdlePeriod> good{{0, hours(1), hours(2), true}, {0, hours(2), hours(5), false}};
  CHECK(idle_by_server(good, 1)[0].idle == hours(4));
  CHECK(idle_by_server(good, 1)[0].revocations == 1);
  const auto error = [](const std::vector<IdlePeriod>& periods) {
    return error_text<ConfigError>([&] { (void)idle_by_server(periods, 1); });
  };
  CHECK(contains(error({{0, hours(1), hours(3), true}, {0, hours(2), hours(4), true}}),
                 "overlaps the period before"));
  CHECK(contains(error({{0, hours(3), hours(1), true}}), "ends before it begins"));
  CHECK(contains(error({{1, hours(1), hours(3), true}}), "is of no server, expected one below 1"));
}

TEST_CASE(
    "time_to_revocation_interval: Poisson where revocations are few, wider where days differ") {
  // No revocation in 100 h: at least 100 / -ln(0.025) = 100 / 3.68888 = 27.108 h.
  const std::vector<DayOfIdle> none{{50, 0}, {50, 0}};
  CHECK(time_to_revocation_interval(none).low == Approx(27.108).epsilon(1e-4));
  CHECK(std::isinf(time_to_revocation_interval(none).high));
  // Garwood's interval of 10 events is [4.795, 18.390].
  const std::vector<DayOfIdle> ten{{100, 10}};
  CHECK(time_to_revocation_interval(ten).low == Approx(100 / 18.390).epsilon(1e-4));
  CHECK(time_to_revocation_interval(ten).high == Approx(100 / 4.795).epsilon(1e-3));
  // Two days of 100 h with 150 and 50 revocations: residuals of +-0.25, variance
  // (2 * 0.0625) * 2 / 1 = 0.25; t(0.975, 1) = 12.706: e^(12.706 * 0.5) = 574.
  const std::vector<DayOfIdle> uneven{{100, 150}, {100, 50}};
  CHECK(time_to_revocation_interval(uneven).high == Approx(std::exp(12.7062 * 0.5)).epsilon(1e-3));
}

TEST_CASE("time_to_revocation_interval: days that are like the one before tell less") {
  // 16 revocations in 192 h. By days: residuals of 1/8 (4/16 - 1/8, 0 - 1/8), the variance of the
  // logarithm is 8 / 64 * 8 / 7 = 0.142857, and t(7) is 2.36462. By pairs of days, which are the
  // independent ones: residuals of 1/4, 4 / 16 * 4 / 3 = 0.333333, and t(3) is 3.18245.
  const std::array<DayOfIdle, 8> pairs{
      {{24, 4}, {24, 4}, {24, 0}, {24, 0}, {24, 4}, {24, 4}, {24, 0}, {24, 0}}};
  CHECK(time_to_revocation_interval(pairs).high ==
        Approx(12 * std::exp(3.18245 * std::sqrt(0.333333))).epsilon(1e-4));
  CHECK(time_to_revocation_interval(pairs).low ==
        Approx(12 / std::exp(3.18245 * std::sqrt(0.333333))).epsilon(1e-4));
  // Pairs of these are all alike: the days differ more.
  const std::array<DayOfIdle, 8> turns{
      {{24, 4}, {24, 0}, {24, 4}, {24, 0}, {24, 4}, {24, 0}, {24, 4}, {24, 0}}};
  CHECK(time_to_revocation_interval(turns).high ==
        Approx(12 * std::exp(2.36462 * std::sqrt(0.142857))).epsilon(1e-4));
}

TEST_CASE("time_to_revocation_interval: covers the truth of servers whose VMs run for days") {
  // A rate of revocations that stays for three days: 0.5 or 3 in 24 h, so that the truth is
  // 24 h / 1.75. Of these 500 histories of eight weeks the interval covers it in 485; that of days
  // alone covers it in 430.
  Random random(1);
  const auto poisson = [&random](double mean) {
    int count = 0;
    for (double left = random.uniform(); left > std::exp(-mean); left *= random.uniform()) ++count;
    return count;
  };
  int covered = 0;
  for (int history = 0; history < 500; ++history) {
    std::vector<DayOfIdle> days;
    double rate = 0;
    for (int day = 0; day < 56; ++day) {
      if (day % 3 == 0) rate = random.below(2) == 0 ? 0.5 : 3;
      days.push_back({24, static_cast<double>(poisson(rate))});
    }
    const HourInterval interval = time_to_revocation_interval(days);
    if (interval.low <= 24 / 1.75 && 24 / 1.75 <= interval.high) ++covered;
  }
  CHECK(covered >= 450);
}

TEST_CASE("predictability: the share of neighbouring days that look alike") {
  const auto day = [](double mean, double spread) {
    Moments moments;
    for (int i = -10; i <= 10; ++i) moments.add(mean + spread * i);
    return moments;
  };
  CHECK(day(3, 0.1).mean() == Approx(3));
  // The sum of i^2 from -10 to 10 is 770; 770 * 0.01 / 20 = 0.385
  CHECK(day(3, 0.1).variance() == Approx(0.385));
  const std::vector<Moments> same{day(1, 0.1), day(1.01, 0.1), day(1, 0.1)};
  CHECK(predictability(same) == 1.0);
  const std::vector<Moments> mean_changes{day(1, 0.1), day(1, 0.1), day(3, 0.1)};
  CHECK(predictability(mean_changes) == 0.5);
  const std::vector<Moments> variance_changes{day(1, 0.1), day(1, 0.4), day(1, 0.4)};
  CHECK(predictability(variance_changes) == 0.5);
  const std::vector<Moments> few{Moments(), day(1, 1)};
  CHECK_FALSE(predictability(few).has_value());
}

}  // namespace
}  // namespace cospot
