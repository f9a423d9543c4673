// What files and seeded rates make of a datacenter's life.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/provider/disruptions/make_life_plan.hpp"

namespace cospot {
namespace {

constexpr SimTime kLifeHour = std::chrono::hours(1);

LifePlan plan_of(const LifeSettings& life, std::size_t hosts, SimTime window = 14 * kDay) {
  Workload workload{.name = "w", .window = window};
  workload.rows = {{.id = "a", .resources = {2, 2, 0}, .start = SimTime{0}, .end = 10 * kDay},
                   {.id = "late", .resources = {2, 2, 0}, .start = window, .end = 2 * window}};
  return make_life_plan(life, workload, HostTable::uniform(hosts, {8, 8, 0}));
}

/// The windows of a host come one after another.
void check_apart(const std::vector<Outage>& outages) {
  std::map<HostIndex, SimTime> until;
  for (const Outage& outage : outages) {
    CHECK(outage.notice <= outage.start);
    CHECK(outage.start < outage.end);
    if (until.contains(outage.host)) CHECK(until[outage.host] <= outage.notice);
    until[outage.host] = outage.end;
  }
}

TEST_CASE("life plan: random failures come as often as they are said to") {
  LifeSettings life;
  life.failure_rate = FailureRate{.mtbf_days = 20, .repair_h = 48, .seed = 7};
  constexpr std::size_t kHosts = 4000;
  const std::vector<Outage> outages = plan_of(life, kHosts, 220 * kDay).outages;
  // A host fails every 20 + 2 days: 10 times in 220, give or take a few hundredths for both ends.
  // The number of one host has a variance of about 10 x (20/22)^2 = 8.3, so the mean of 4000 is
  // within 4 x sqrt(8.3 / 4000) = 0.18 of that.
  const double mean = static_cast<double>(outages.size()) / static_cast<double>(kHosts);
  CHECK(mean == doctest::Approx(10.0).epsilon(0.02));
  check_apart(outages);
  for (const Outage& outage : outages) {
    CHECK(outage.end - outage.start == 48 * kLifeHour);
    CHECK(outage.notice == outage.start);
    CHECK(outage.start >= SimTime{0});
    CHECK(outage.start < 220 * kDay);
  }
}

TEST_CASE("life plan: the first hosts of a larger datacenter fare as those of a smaller one") {
  LifeSettings life;
  life.failure_rate = FailureRate{.mtbf_days = 5, .repair_h = 1, .seed = 3};
  life.maintenance_rate = MaintenanceRate{.every_days = 6, .lasts_h = 2, .notice_h = 5, .seed = 3};
  const std::vector<Outage> few = plan_of(life, 10).outages;
  std::vector<Outage> many = plan_of(life, 50).outages;
  std::erase_if(many, [](const Outage& outage) { return outage.host >= 10; });
  CHECK(few.size() > 20);
  CHECK((few == many));
  life.failure_rate->seed = 4;
  CHECK_FALSE((plan_of(life, 10).outages == few));
}

TEST_CASE("life plan: maintenance comes to every host in every period") {
  LifeSettings life;
  life.maintenance_rate = MaintenanceRate{.every_days = 7, .lasts_h = 2, .notice_h = 24, .seed = 1};
  const std::vector<Outage> outages = plan_of(life, 300).outages;  // two periods
  CHECK(outages.size() == 600);
  check_apart(outages);
  SimTime sum{0};
  for (const Outage& outage : outages) {
    CHECK(outage.kind == OutageKind::kMaintenance);
    CHECK(outage.start - outage.notice == 24 * kLifeHour);
    CHECK(outage.end - outage.start == 2 * kLifeHour);
    sum += outage.start;
  }
  // Uniform over 14 days: a mean of 7; that of 300 draws is within 4 x 7 / sqrt(12 x 300) = 0.47.
  CHECK(static_cast<double>((sum / 600).count()) / static_cast<double>(kDay.count()) ==
        doctest::Approx(7).epsilon(0.07));
}

TEST_CASE("life plan: refuses more outages than memory holds") {
  LifeSettings life;
  // 80,000 hosts x 14 days / (0.01 + 0.001) days = 101,818,182.
  life.failure_rate = FailureRate{.mtbf_days = 0.01, .repair_h = 0.024};
  CHECK_THROWS_WITH_AS(
      plan_of(life, 80'000),
      "disruptions: failures: about 101818182 outages of 80000 hosts, expected at most "
      "100000000",
      ConfigError);
}

TEST_CASE("life plan: files name hosts and requests; what comes after the window is left out") {
  LifeSettings life;
  life.failures.rows = {{.host = "host-2", .notice = kLifeHour, .start = kLifeHour, .end = kDay},
                        {.host = "host-0", .notice = kDay, .start = kDay, .end = 2 * kDay}};
  life.resizes.rows = {{.instance = "a", .time = 3 * kDay, .size = {4, 4, 0}},
                       {.instance = "a", .time = kDay, .size = {3, 3, 0}},
                       {.instance = "late", .time = 20 * kDay, .size = {3, 3, 0}}};
  const LifePlan plan = plan_of(life, 3);
  REQUIRE(plan.outages.size() == 2);
  CHECK(plan.outages[0].host == 0);
  CHECK(plan.outages[1].host == 2);
  REQUIRE(plan.resizes.size() == 2);
  CHECK((plan.resizes[0] == Resize{0, kDay, {3, 3, 0}}));
  CHECK((plan.resizes[1] == Resize{0, 3 * kDay, {4, 4, 0}}));
}

TEST_CASE("retry rule: waits grow by the factor, rounded down, up to the longest") {
  const Backoff rule{
      .first_wait = SimTime{3}, .factor = Decimal::of(1.5), .longest_wait = SimTime{10}};
  CHECK(rule.wait_after(SimTime{3}) == SimTime{4});  // 4.5
  CHECK(rule.wait_after(SimTime{4}) == SimTime{6});
  CHECK(rule.wait_after(SimTime{6}) == SimTime{9});
  CHECK(rule.wait_after(SimTime{9}) == SimTime{10});
  // 10 x 1.13 = 11.3; x 1.13 = 12.769; x 1.13 = 14.42897; in doubles 11.299999 comes first.
  const Backoff decimal{.first_wait = std::chrono::seconds(10), .factor = Decimal::of(1.13)};
  CHECK(decimal.wait_after(SimTime{10'000'000}) == SimTime{11'300'000});
  CHECK(decimal.wait_after(SimTime{11'300'000}) == SimTime{12'769'000});
  CHECK(decimal.wait_after(SimTime{12'769'000}) == SimTime{14'428'970});
}

}  // namespace
}  // namespace cospot
