#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/errors.hpp"
#include "error_text.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/data/prices/workload_prices.hpp"

namespace cospot {
namespace {

/// Inside a window of a day: 2 vcpus for 24 hours and 4 for 6 of VMs, 8 for 3 of spots.
Workload day() {
  constexpr SimTime kHour = std::chrono::hours(1);
  Workload workload{.window = kDay};
  workload.rows = {{.id = "a", .resources = {2, 4, 0}, .start = -kHour, .end = kNever},
                   {.id = "b", .resources = {4, 4, 0}, .start = 18 * kHour, .end = 30 * kHour},
                   {.id = "c",
                    .resources = {8, 8, 0},
                    .instance_class = InstanceClass::kSpot,
                    .start = kHour,
                    .end = 4 * kHour}};
  return workload;
}

}  // namespace

TEST_CASE("PriceList: of a vCPU-hour, in the workload's vcpus") {
  const PriceList list = *read_price_list({"spot=0.012", "on-demand=0.04"});
  const VcpuHourPrices prices = list.of(day(), {});
  CHECK(prices.on_demand == 0.04);
  CHECK(prices.of_vms(72 * 3600) == doctest::Approx(72 * 0.04));
  CHECK(prices.of_spots(24 * 3600) == doctest::Approx(24 * 0.012));
  CHECK(list.of(day(), {.vcpus = 0.5}).spot == doctest::Approx(0.006));
  CHECK(list.of(day(), {.is_relative = true}).spot == 0.012);
  CHECK(!read_price_list({}));
}

TEST_CASE("PriceList: no price above the one on demand") {
  const auto refusal = [](const std::string& price) {
    return error_text<ConfigError>([&] { (void)read_price_list({"on-demand=0.04", price}); });
  };
  CHECK(error_text<ConfigError>([] {
          (void)read_price_list({"on-demand=0.04", "spot=0.012", "economy=0.05"});
        })
            .starts_with("--price: an Economy instance's price is above the one on demand "
                         "(0.05 > 0.04), and nobody would buy it;"));
  CHECK(refusal("spot=0.05").starts_with("--price: a spot's price is above the one on demand"));
  CHECK(read_price_list({"on-demand=0.04,spot=0.04,economy=0.04"}));
}

TEST_CASE("PriceList: a file's name may have what separates assignments") {
  const ScratchFolder folder;
  const auto file = folder.write("a=1,b.csv", "vcpus,memory_mb,on_demand,spot\n2,4,0.1,0.05\n");
  CHECK(read_price_list({file.string()})->flavors.size() == 1);
}

TEST_CASE("PriceList: the cost of a host stands with the other prices, or next to a file of them") {
  const ScratchFolder folder;
  const std::string csv =
      folder.write("p.csv", "vcpus,memory_mb,on_demand,spot\n2,4,0.1,0.05\n").string();
  const std::string yaml = folder.write("p.yaml", "on-demand: 0.04\nspot: 0.012\n").string();
  CHECK(read_price_list({"host=1.2,on-demand=0.04,spot=0.012"})->host == 1.2);
  CHECK_FALSE(read_price_list({"on-demand=0.04,spot=0.012"})->host);
  for (const std::string& file : {csv, yaml}) {
    CHECK(read_price_list({file, "host=1.2"})->host == 1.2);
    CHECK(read_price_list({"host=0", file})->host == 0);
    CHECK_FALSE(read_price_list({file})->host);
  }
  CHECK(read_price_list({csv, "host=1.2"})->flavors.size() == 1);
  const auto refusal = [](const std::vector<std::string>& texts) {
    return error_text<ConfigError>([&] { (void)read_price_list(texts); });
  };
  CHECK(refusal({csv, "host=-1"}) == "--price host=-1: expected a price of 0 or more");
  CHECK(refusal({csv, "host=1", "host=2"}) == "--price host comes twice");
  CHECK(refusal({"host=1"}) == "--price on-demand=PRICE is missing, expected both prices");
  // Other prices do not mix with a table.
  CHECK(refusal({csv, "spot=0.01"}).starts_with("--price: found '" + csv + "', expected "));
}

TEST_CASE("PriceList: by flavor, the mean over what is requested") {
  PriceList list{.flavors = {{2, 4, 0.1, 0.0}, {4, 4, 0.3, 0.0}, {8, 8, 1.0, 0.4}},
                 .source = "p.csv"};
  // 24 hours at 0.1 and 6 at 0.3 for 48 + 24 vCPU-hours: 4.2 / 72. 3 hours at 0.4 for 24: 0.05.
  const VcpuHourPrices prices = list.of(day(), {});
  CHECK(prices.on_demand == doctest::Approx(4.2 / 72));
  CHECK(prices.spot == doctest::Approx(0.05));
  // A flavor's hour has its price whatever a vcpu is.
  CHECK(list.of(day(), {.vcpus = 0.001}).spot == doctest::Approx(0.05));
  list.flavors.pop_back();
  CHECK(error_text<ConfigError>([&] { (void)list.of(day(), {}); }) ==
        "p.csv: no price for 1 of the workload's flavors, expected one for each; vcpus,memory_mb: "
        "8,8");
}

TEST_CASE("PriceList: by flavor, the price of Economy instances that nobody requested yet") {
  PriceList list{.flavors = {{2, 4, 0.1, 0.0, 0.06}, {4, 4, 0.3, 0.0}, {8, 8, 1.0, 0.4, 0.6}},
                 .source = "p.csv"};
  // Of the spots that they would replace: 3 hours at 0.6 for 24 vCPU-hours.
  CHECK(*list.of(day(), {}).economy == doctest::Approx(0.075));
  CHECK(*list.of_vcpu_hour(day(), {.vcpus = 0.5}).economy == doctest::Approx(0.15));
  // Of the VMs where there are no spots: 24 hours at 0.06 and 6 at 0.3, on demand, for 72.
  Workload vms = day();
  std::erase_if(vms.rows, [](const WorkloadRow& row) { return row.is_spot(); });
  CHECK(*list.of(vms, {}).economy == doctest::Approx((24 * 0.06 + 6 * 0.3) / 72));
  // Of the Economy instances where there are some: the VMs now are.
  for (WorkloadRow& row : vms.rows) row.instance_class = InstanceClass::kEconomy;
  CHECK(*list.of(vms, {}).economy == doctest::Approx((24 * 0.06 + 6 * 0.3) / 72));
  for (FlavorPrice& flavor : list.flavors) flavor.economy.reset();
  CHECK(!list.of(day(), {}).economy);
}

TEST_CASE("WorkloadPrices: by flavor, of a vCPU-hour whatever the workload's vcpus are") {
  const PriceList list{.flavors = {{2, 4, 0.1, 0.0}, {4, 4, 0.3, 0.0}, {8, 8, 1.0, 0.4}},
                       .source = "p.csv"};
  Workload workload = day();
  WorkloadPrices prices;
  CHECK(!prices.is_by_flavor());
  workload.name = "whole";
  prices.add(list, workload, {});
  workload.name = "half";
  prices.add(list, workload, {.vcpus = 0.5});
  CHECK(prices.is_by_flavor());
  CHECK(prices.by_workload.at("whole").spot == doctest::Approx(0.05));
  // 8 vcpus are 4 vCPUs there: 0.4 for 4 vCPU-hours.
  CHECK(prices.by_workload.at("half").spot == doctest::Approx(0.1));
  CHECK(prices_of_workloads({.vcpu_hour = {.on_demand = 0.04, .spot = 0.01}}, {}).vcpu_hour.spot ==
        0.01);
}

TEST_CASE("count_text: to the last digit") {
  CHECK(count_text(0) == "0");
  CHECK(count_text(-999) == "-999");
  CHECK(count_text(1'234'567) == "1,234,567");
}

TEST_CASE("amount_text and money_text: large amounts are readable") {
  CHECK(amount_text(0) == "0.0");
  CHECK(amount_text(999.94) == "999.9");
  CHECK(amount_text(1234.4) == "1,234");
  CHECK(amount_text(999'999) == "999,999");
  CHECK(amount_text(50'800'000) == "50.8 M");
  CHECK(amount_text(-2.31e9) == "-2.3 G");
  CHECK(amount_text(-12'345.6) == "-12,346");
  CHECK(amount_text(1.5e13) == "15.0 T");
  CHECK(money_text(0.288) == "0.29");
  CHECK(money_text(1234.4) == "1,234");
}

}  // namespace cospot
