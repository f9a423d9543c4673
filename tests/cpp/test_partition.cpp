#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "guarantees/pricing/class_table.hpp"
#include "guarantees/pricing/fixed_interval.hpp"
#include "guarantees/pricing/optimal_partition.hpp"
#include "guarantees/pricing/partition.hpp"
#include "tests/cpp/error_text.hpp"

namespace cospot {
namespace {

using doctest::Approx;

constexpr std::array kRules{PartitionRule::kEqual, PartitionRule::kGreedy, PartitionRule::kMarginal,
                            PartitionRule::kLookahead, PartitionRule::kOptimal};

ServerIdle server(double idle_hours, std::int64_t revocations) {
  return {.idle = SimTime(static_cast<std::int64_t>(idle_hours * 3.6e9)),
          .revocations = revocations};
}

/// Servers whose rate of revocation falls with the rank, or does so only roughly.
std::vector<ServerIdle> random_ranks(std::size_t count, bool monotone, std::uint64_t seed) {
  Random random(seed);
  std::vector<ServerIdle> ranks;
  for (std::size_t i = 0; i < count; ++i) {
    const double idle = 50 + 500 * random.uniform();
    const double level = static_cast<double>(count - i) / static_cast<double>(count);
    const double rate = monotone ? level : level * (0.2 + 1.6 * random.uniform());
    ranks.push_back(server(idle, static_cast<std::int64_t>(rate * idle)));
  }
  if (monotone) {
    std::ranges::sort(ranks, std::ranges::greater(), [](const ServerIdle& each) {
      return static_cast<double>(each.revocations) / static_cast<double>(each.idle.count());
    });
  }
  return ranks;
}

/// The highest revenue by looking at all partitions into neighbours.
double best_revenue_by_force(const IdleCapacity& capacity, std::size_t first, std::size_t classes,
                             const ClassPricing& pricing) {
  const std::size_t servers = capacity.size();
  if (classes == 1) return capacity.between(first, servers).revenue(pricing);
  double most = -1;
  for (std::size_t end = first + 1; end + classes - 1 <= servers; ++end) {
    most = std::max(most, capacity.between(first, end).revenue(pricing) +
                              best_revenue_by_force(capacity, end, classes - 1, pricing));
  }
  return most;
}

TEST_CASE(
    "optimal partition: as all partitions, in any order and by every rule of MTTR and price") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const IdleCapacity capacity(random_ranks(14, seed % 2 == 0, seed));
    for (const MttrRule mttr : {MttrRule::kPooled, MttrRule::kMean}) {
      for (const PriceRule rule : {PriceRule::kEquilibrium, PriceRule::kUtility}) {
        const ClassPricing pricing{.mttr = mttr, .rule = rule};
        for (std::size_t classes = 1; classes <= 5; ++classes) {
          const double most = best_revenue_by_force(capacity, 0, classes, pricing);
          const auto check = [&](const Partition& found) {
            CHECK(found.classes() == classes);
            CHECK(revenue(capacity, found, pricing) == Approx(most).epsilon(1e-12));
          };
          check(optimal_by_pairs(capacity, classes, pricing));
          if (mttr == MttrRule::kPooled) check(optimal_by_blocks(capacity, classes, pricing));
        }
      }
    }
  }
}

TEST_CASE("optimal partition: the fast searches give what all pairs give") {
  const ClassPricing pricing;
  for (std::uint64_t seed = 11; seed <= 14; ++seed) {
    const bool monotone = seed % 2 == 0;
    const IdleCapacity capacity(random_ranks(900, monotone, seed));
    for (const std::size_t classes : {2U, 3U, 8U}) {
      const double most = revenue(capacity, optimal_by_pairs(capacity, classes, pricing), pricing);
      CHECK(revenue(capacity, optimal_by_blocks(capacity, classes, pricing), pricing) ==
            Approx(most).epsilon(1e-12));
      const double halved =
          revenue(capacity, optimal_by_halving(capacity, classes, pricing), pricing);
      if (monotone) CHECK(halved == Approx(most).epsilon(1e-12));
      CHECK(halved <= most * (1 + 1e-12));
    }
  }
}

TEST_CASE("revenue of a class: the inverse quadrangle inequality where rates fall with the rank") {
  for (std::uint64_t seed = 21; seed <= 24; ++seed) {
    const IdleCapacity capacity(random_ranks(12, true, seed));
    for (const PriceRule rule : {PriceRule::kEquilibrium, PriceRule::kUtility}) {
      const ClassPricing pricing{.rule = rule};
      const auto w = [&](std::size_t first, std::size_t last) {
        return capacity.between(first, last).revenue(pricing);
      };
      for (std::size_t a = 0; a < 12; ++a) {
        for (std::size_t b = a; b < 12; ++b) {
          for (std::size_t c = b; c < 12; ++c) {
            for (std::size_t d = c; d <= 12; ++d) {
              CHECK(w(a, c) + w(b, d) >= (w(a, d) + w(b, c)) * (1 - 1e-12));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("partition: optimal is no worse than the others, and refining never lowers revenue") {
  for (std::uint64_t seed = 31; seed <= 36; ++seed) {
    const IdleCapacity capacity(random_ranks(64, seed % 2 == 0, seed));
    for (const PriceRule price_rule : {PriceRule::kEquilibrium, PriceRule::kUtility}) {
      const ClassPricing pricing{.rule = price_rule};
      const auto worth = [&](PartitionRule rule, std::size_t classes) {
        return revenue(capacity, partition(capacity, rule, classes, pricing), pricing);
      };
      const double most = capacity.most_revenue(pricing) * (1 + 1e-12);
      for (const std::size_t classes : {1U, 2U, 4U, 8U, 64U}) {
        for (const PartitionRule rule : kRules) {
          CHECK(worth(rule, classes) <= worth(PartitionRule::kOptimal, classes) * (1 + 1e-12));
          CHECK(worth(rule, classes) <= most);
        }
      }
      for (const std::size_t classes : {1U, 2U, 4U, 8U}) {
        CHECK(worth(PartitionRule::kEqual, 2 * classes) >=
              worth(PartitionRule::kEqual, classes) * (1 - 1e-12));
      }
      CHECK(worth(PartitionRule::kOptimal, 64) == Approx(most).epsilon(1e-9));
    }
  }
}

TEST_CASE("partition: the greedy rules, worked by hand") {
  // From the top: MTTR 100, 100, 1, 1 h; a checkpoint of 10 minutes, equilibrium prices.
  const std::vector<ServerIdle> ranks{server(100, 100), server(100, 100), server(100, 1),
                                      server(100, 1)};
  const IdleCapacity capacity(ranks);
  const ClassPricing pricing{.rule = PriceRule::kEquilibrium};
  // Two servers: 2 x 0.9454 = 1.891. With the third: MTTR 300 / 102 = 2.941 h, 3 x 0.7481 = 2.244:
  // it does not fall, nor with the fourth: 400 / 202 = 1.980 h, 4 x 0.7091 = 2.836. One class.
  CHECK(partition(capacity, PartitionRule::kGreedy, 2, pricing).first ==
        std::vector<std::size_t>{0});
  // Alone the third is worth 0.6340: 2.244 < 1.891 + 0.634. So a class ends before it.
  CHECK(partition(capacity, PartitionRule::kMarginal, 2, pricing).first ==
        std::vector<std::size_t>{0, 2});
  CHECK(partition(capacity, PartitionRule::kLookahead, 2, pricing).first ==
        std::vector<std::size_t>{0, 2});
  CHECK(partition(capacity, PartitionRule::kOptimal, 2, pricing).first ==
        std::vector<std::size_t>{0, 2});
  // A volatile tail makes the printed rule stop: 1 x 1 without it; with it 101 h in 1,000
  // revocations, MTTR 0.101 h: 2 x 1 / (1 + sqrt(0.3333 / 0.101)) = 2 x 0.355 = 0.71.
  const std::vector<ServerIdle> tail{server(1, 1000), server(100, 0)};
  CHECK(partition(IdleCapacity(tail), PartitionRule::kGreedy, 2, pricing).first ==
        std::vector<std::size_t>{0, 1});
}

TEST_CASE("partition: sizes add up to all ranks, the most available class first") {
  // Rank 1 is never idle: there is nothing to sell on it.
  const std::vector<ServerIdle> ranks{server(0, 0),    server(100, 100), server(100, 50),
                                      server(100, 20), server(100, 1),   server(100, 1)};
  const IdleCapacity capacity(ranks);
  CHECK(capacity.size() == 5);
  const Partition equal = partition(capacity, PartitionRule::kEqual, 2, {});
  CHECK(class_sizes(capacity, equal) == std::vector<std::size_t>{2, 4});
  CHECK(sums_of(capacity, equal, 1).idle_hours == Approx(200));
  CHECK(sums_of(capacity, equal, 1).mttr(MttrRule::kPooled) == Approx(100));
  // (100 / 100 + 100 / 50 + 100 / 20) / 3 = 8 / 3; pooled 300 / 170
  CHECK(sums_of(capacity, equal, 0).mttr(MttrRule::kMean) == Approx(8.0 / 3));
  CHECK(sums_of(capacity, equal, 0).mttr(MttrRule::kPooled) == Approx(300.0 / 170));
}

TEST_CASE("partition: what cannot be is refused") {
  const IdleCapacity capacity(std::vector<ServerIdle>{server(0, 0), server(1, 1), server(1, 1)});
  const auto error = [&](std::size_t classes) {
    return error_text<ConfigError>(
        [&] { (void)partition(capacity, PartitionRule::kOptimal, classes, {}); });
  };
  CHECK(contains(error(0), "classes is 0, expected at least 1"));
  CHECK(error(3) ==
        "classes is 3, expected at most 2: of 3 servers so many are ever idle for 10 minutes");
  const IdleCapacity many(random_ranks(kMostServersOfMean + 1, true, 1));
  CHECK(contains(error_text<ConfigError>([&] {
                   (void)partition(many, PartitionRule::kOptimal, 2, {.mttr = MttrRule::kMean});
                 }),
                 "or pooled MTTR"));
}

TEST_CASE("fixed intervals: what is sold without guarantees earns less") {
  const IdleCapacity capacity(random_ranks(64, true, 5));
  const ClassPricing pricing;
  const double one_class =
      revenue(capacity, partition(capacity, PartitionRule::kEqual, 1, pricing), pricing);
  for (const double assumed : {0.5, 12.0, 24.0}) {
    const FixedInterval gce = assuming_mttr(assumed, pricing.checkpoint_hours);
    CHECK(revenue(capacity, gce, pricing) < one_class);
  }
  const double calm = revenue(capacity, {.interval_hours = 1}, pricing);
  CHECK(revenue(capacity, {.interval_hours = 1, .extra_volatility = 0.25}, pricing) < calm);
  // One server, MTTR 84 h, an assumption of 24 h: the digest's 0.9296.
  const IdleCapacity one(std::vector<ServerIdle>{server(840, 10)});
  CHECK(useful_hours(one, assuming_mttr(24, 1.0 / 6), 1.0 / 6) / 840 ==
        Approx(.9296).epsilon(1e-4));
}

TEST_CASE("class_table: sizes, intervals and the three metrics of a class") {
  // One rank: free 1-9, 10-19, 20-30 h of 48; a second that is free throughout.
  DemandSum sum;
  const auto busy = [&](int from, int to) {
    sum.add(std::chrono::hours(from), std::chrono::hours(to), 1);
  };
  busy(0, 1);
  busy(9, 10);
  busy(19, 20);
  busy(30, 60);
  const Demand demand = sum.finish();
  const IdleRecord record = idle_record(demand, 2, {SimTime(0), std::chrono::hours(48)});
  const IdleCapacity capacity(record.totals());
  const ClassPricing pricing;
  const Partition two = partition(capacity, PartitionRule::kEqual, 2, pricing);
  const std::vector<OfferedClass> table = class_table(record, capacity, two, pricing);
  REQUIRE(table.size() == 2);
  CHECK(table[0].availability == Approx(1));
  CHECK(table[0].performance == 1);
  CHECK(table[0].interval.low == Approx(48 / 3.68888).epsilon(1e-4));
  CHECK(table[1].sums.idle_hours == Approx(27));
  CHECK(table[1].mttr_hours == Approx(9));
  CHECK(table[1].availability == Approx(27.0 / 48));
  CHECK(table[1].revocations_per_day == Approx(24.0 / 9));
  // 1 / (1 + sqrt(2 / 6 / 9)) = 1 / 1.19245
  CHECK(table[1].performance == Approx(0.83861).epsilon(1e-4));
  CHECK(table[1].equilibrium_price == table[1].performance);
}

TEST_CASE("IdleCapacity: servers count by what they hold, of which the mean is 1") {
  const auto sized = [](ServerIdle idle, std::int64_t size) {
    idle.size = size;
    return idle;
  };
  // Sizes 1 and 3: mean 2. Idle (100 + 3 x 100) / 2 = 200 h, revocations (10 + 3 x 2) / 2 = 8.
  const IdleCapacity mixed(
      std::vector<ServerIdle>{sized(server(100, 10), 1), sized(server(100, 2), 3)});
  const ClassSums all = mixed.all();
  CHECK(all.servers == 2);
  CHECK(all.size == 2);
  CHECK(all.idle_hours == Approx(200));
  CHECK(all.mttr(MttrRule::kPooled) == Approx(25));
  CHECK(all.mttr(MttrRule::kMean) == Approx((10 + 3 * 50) / 4.0));
  // As three servers that each hold a third of the second.
  const IdleCapacity replicas(
      std::vector<ServerIdle>{server(100, 10), server(100, 2), server(100, 2), server(100, 2)});
  const ClassPricing pricing;
  CHECK(mixed.most_revenue(pricing) / 200 == Approx(replicas.most_revenue(pricing) / 400));
  // Without a revocation none is made by rounding.
  const IdleCapacity calm(std::vector<ServerIdle>{sized(server(7, 3), 7), sized(server(9, 0), 3)});
  CHECK(calm.between(1, 2).revocations == 0);
}

TEST_CASE("class_table: servers that were never revoked may all be revoked at once") {
  // 81 servers, each free for 100 h. If demand rises all of them are gone together, so that the
  // data say as much as one of them: 100 / -ln(0.025) = 27.108 h or more, and not 81 times that.
  std::vector<IdlePeriod> periods;
  for (std::size_t server = 0; server < 81; ++server) {
    periods.push_back({server, SimTime(0), std::chrono::hours(100), false});
  }
  const IdleRecord record = idle_record(periods, 81, {SimTime(0), std::chrono::hours(100)});
  const IdleCapacity capacity(record.totals());
  const ClassPricing pricing;
  const std::vector<OfferedClass> table = class_table(
      record, capacity, partition(capacity, PartitionRule::kEqual, 1, pricing), pricing);
  CHECK(table.front().interval.low == Approx(27.108).epsilon(1e-4));
}

TEST_CASE("class_table: sizes weigh, and do not pretend to more evidence") {
  // Two servers in one class: hour 0 to 10 and 20 to 30 of the first, all 48 of the second.
  const auto hour = [](int at) { return SimTime(std::chrono::hours(at)); };
  const std::vector<IdlePeriod> periods{
      {0, hour(0), hour(10), true}, {0, hour(20), hour(30), true}, {1, hour(0), hour(48), false}};
  const auto offered = [&](std::vector<std::int64_t> sizes) {
    IdleRecord record = idle_record(periods, 2, {hour(0), hour(48)});
    record.sizes = std::move(sizes);
    const IdleCapacity capacity(record.totals());
    const ClassPricing pricing;
    return class_table(record, capacity, partition(capacity, PartitionRule::kEqual, 1, pricing),
                       pricing)
        .front();
  };
  const OfferedClass alike = offered({});
  CHECK(alike.mttr_hours == Approx(68.0 / 2));
  const OfferedClass sevens = offered({7, 7});
  CHECK(sevens.mttr_hours == Approx(alike.mttr_hours));
  CHECK(sevens.interval.low == Approx(alike.interval.low));
  CHECK(sevens.interval.high == Approx(alike.interval.high));
  // (3 x 20 + 48) / (3 x 2) = 18 h, of two revocations still; availability 108 of 4 x 48.
  const OfferedClass mixed = offered({3, 1});
  CHECK(mixed.mttr_hours == Approx(18));
  CHECK(mixed.availability == Approx(108.0 / 192));
  CHECK(mixed.interval.high / mixed.mttr_hours >=
        doctest::Approx(alike.interval.high / alike.mttr_hours));
}

}  // namespace
}  // namespace cospot
