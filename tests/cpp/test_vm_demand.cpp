#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "sim_harness/advise/vm_demand.hpp"

namespace cospot {
namespace {

/// Six weeks of 1000 vcpus a day, each day up or down by one in turn: by that alone nothing
/// changed. VMs stay for a day, so that what is requested is what is used.
template <class Change>
VmDemand changed_by(const Change& change) {
  std::vector<double> use(42);
  for (std::size_t day = 0; day < use.size(); ++day) {
    use[day] = change(day) + (day / 2 % 2 == 0 ? 1 : -1);
  }
  return vm_demand(use, use);
}

TEST_CASE("vm_demand: names a step, a week's season or growth, and nothing where nothing changed") {
  CHECK(demand_sentence(changed_by([](std::size_t) { return 1000; }), 1).empty());
  const VmDemand step = changed_by([](std::size_t day) { return day < 20 ? 1000 : 1150; });
  CHECK(demand_sentence(step, 1) == "VM demand stepped up by 15.0% on day 20.");
  // Half of 80 + 120 beyond a mean of 1000.
  constexpr std::array kWeek{0, 120, 0, 0, -80, 0, -40};
  const VmDemand season = changed_by([&](std::size_t day) { return 1000 + kWeek[day % 7]; });
  CHECK(demand_sentence(season, 1) == "VM demand has a week's season of +/- 10.0%.");
  // From 1000 by 5 a day, so 1210 at the end: a month has 5 * 365.25 / 12 / 1210 more.
  const auto grows = [](std::size_t day) { return 1002.5 + 5 * static_cast<double>(day); };
  CHECK(demand_sentence(changed_by(grows), 1) == "VM demand grows by 12.6% a month.");
}

TEST_CASE("vm_demand: daily use of a workload; VMs that stay do not count as requested again") {
  // 1000 vcpus from the start, and 10 more every day from day 0.5 on: the mean of day n is
  // 1005 + 10 n, or 1215 at the end of day 21; they came once, so that the use grows.
  Workload workload{.name = "grows", .window = 21 * kDay};
  workload.rows.push_back({.resources = {1000, 0, 0}, .start = -kDay});
  for (int day = 0; day < 21; ++day) {
    workload.rows.push_back({.resources = {10, 0, 0}, .start = day * kDay + kDay / 2});
  }
  const VmDemand demand = vm_demand(workload, {.hosts = 126, .needed = {130, 120}});
  REQUIRE(demand.growth_per_month);
  CHECK(*demand.growth_per_month == doctest::Approx(10 * 365.25 / 12 / 1210));
  CHECK_FALSE(demand.step_day);
  // 5 % more fit.
  CHECK(*demand.days_left == doctest::Approx(0.05 * 1210 / 10));
}

}  // namespace
}  // namespace cospot
