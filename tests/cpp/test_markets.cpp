#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "error_text.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/data/markets/price_files.hpp"
#include "sim_harness/data/markets/price_series.hpp"
#include "sim_harness/data/markets/synthetic_market.hpp"

namespace cospot {
namespace {

using Changes = std::vector<PriceChange>;

TEST_CASE("times of prices: seconds since 1970 and ISO 8601") {
  CHECK(parse_time("1309824000") == 1309824000);
  CHECK(parse_time("1309824000.9") == 1309824000);
  CHECK(parse_time("-1.5") == -2);
  // 5 July 2011: 15160 days after 1970-01-01 = 41 years x 365 + 10 leap days + 185 days of 2011.
  CHECK(parse_time("2011-07-05T00:00:00Z") == 15160 * 86400);
  CHECK(parse_time("2011-07-05T01:02:03.500Z") == 15160 * 86400 + 3723);
  CHECK(parse_time("2011-07-05 01:02:03+00:00") == 15160 * 86400 + 3723);
  CHECK(parse_time("2011-07-05") == 15160 * 86400);
  CHECK(parse_time("2011-07-05T01:00:00+02:00") == 15160 * 86400 - 3600);  // still 4 July in UTC
  for (const char* bad : {"", "x", "5/7/2011", "2011-02-30T00:00:00Z", "2011-07-05T24:00:00Z",
                          "2011-07-05T00:00:00+2", "nan", "1e300"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_time(bad).has_value());
  }
}

TEST_CASE("price CSV: unsorted and repeated rows are repaired, the rest is refused") {
  const ScratchFolder folder;
  const auto read = [&folder](const std::string& rows) {
    return read_price_csv(folder.write("p.csv", rows));
  };
  const auto error = [&](const std::string& rows) {
    return error_text<WorkloadError>([&] { (void)read(rows); });
  };
  CHECK(read("time,price\n7200,0.028\n0,0.026\n0,0.026\n") == Changes{{0, 26'000}, {7200, 28'000}});
  // A gap: the price holds.
  CHECK(PriceSeries(read("time,price\n0,0.026\n9000000,0.03\n")).at(8'999'999) == 26'000);
  CHECK(contains(error("0,0.026\n"), "p.csv:1: unknown column '0', expected time,price"));
  CHECK(contains(error("time,price\n"), "p.csv:1: the file has a header line but no prices"));
  CHECK(contains(error("time,price\n0;1\n"), "p.csv:2: 1 fields, expected 2"));
  CHECK(contains(error("time,price\nnow,1\n"), "p.csv:2: time is 'now', expected seconds"));
  CHECK(contains(error("time,price\n0,-0.1\n"), "p.csv:2: price is '-0.1', expected USD"));
  CHECK(contains(error("time,price\n0,0\n"), "above 0"));
  CHECK(contains(error("time,price\n0,nan\n"), "above 0"));
  CHECK(contains(error("time,price\n0,0.1\n0,0.2\n"), "two different prices at time 0"));
}

TEST_CASE("EC2's price history: newest first, several markets in one file") {
  const ScratchFolder folder;
  const auto entry = [](const char* time, const char* price, const char* type, const char* zone) {
    return std::string(R"({"Timestamp": ")") + time + R"(", "SpotPrice": ")" + price +
           R"(", "InstanceType": ")" + type + R"(", "ProductDescription": "Linux/UNIX", )" +
           R"("AvailabilityZone": ")" + zone + R"("})";
  };
  const std::string list =
      "[" + entry("2011-07-05T02:00:00.000Z", "0.0280", "m1.small", "us-east-1a") + "," +
      entry("2011-07-05T00:00:00.000Z", "0.0260", "m1.small", "us-east-1a") + "," +
      entry("2011-07-05T00:00:00.000Z", "0.1200", "m1.large", "us-east-1b") + "]";
  // The whole answer, and the list that `aws --query SpotPriceHistory` leaves of it.
  for (const std::string& text : {R"({"SpotPriceHistory": )" + list + "}", list}) {
    const std::vector<Ec2Prices> series = read_ec2_prices(folder.write("h.json", text));
    REQUIRE(series.size() == 2);
    CHECK(series[0].type == "m1.large");
    CHECK(series[0].datacenter == "us-east-1b");
    CHECK(series[1].os == "Linux/UNIX");
    const Seconds day = Seconds{15160} * 86400;
    CHECK(series[1].changes == Changes{{day, 26'000}, {day + 7200, 28'000}});
    // The price of m1.large rests, and is known until the end of the file all the same.
    CHECK(series[0].changes == Changes{{day, 120'000}});
    CHECK(PriceSeries(series[0].changes, series[0].end).end() == day + 7200);
  }
  const auto error = [&folder](const std::string& text) {
    const auto bad = folder.write("bad.json", text);
    return error_text<WorkloadError>([&] { (void)read_ec2_prices(bad); });
  };
  CHECK(contains(error("[]"), "SpotPriceHistory: expected at least one price"));
  CHECK(contains(error(R"([["2011-07-05T00:00:00Z", "0.1"]])"), "entry 0: expected InstanceType"));
  CHECK(contains(error("nothing"), "is not valid JSON"));
  CHECK(contains(error(R"({"SpotPriceHistory": [)" + entry("now", "1", "t", "z") + "]}"),
                 "entry 0: expected InstanceType"));
  CHECK(contains(
      error(R"({"SpotPriceHistory": [)" + entry("2011-07-05T00:00:00Z", "-1", "t", "z") + "]}"),
      "above 0"));
}

TEST_CASE("price series: searches and windows agree with looking at every change") {
  Random random(5);
  Changes changes;
  for (Seconds time = 100; changes.size() < 200;
       time += 1 + static_cast<Seconds>(random.below(50))) {
    changes.push_back({time, 1'000 * (1 + static_cast<MicroUsd>(random.below(40)))});
  }
  const PriceSeries series(changes);
  const auto price_at = [&changes](Seconds time) {
    MicroUsd price = changes.front().price;
    for (const PriceChange& change : changes) {
      if (change.time <= time) price = change.price;
    }
    return price;
  };
  for (int i = 0; i < 200; ++i) {
    const auto from = static_cast<Seconds>(100 + random.below(6000));
    const Seconds to = from + static_cast<Seconds>(random.below(500));
    const MicroUsd bid = 1'000 * (1 + static_cast<MicroUsd>(random.below(42)));
    Seconds above = kNoTime, below = kNoTime;
    for (Seconds time = 12'000; time-- > from;) {
      if (price_at(time) >= bid) above = time;
      if (price_at(time) < bid) below = time;
    }
    MicroUsd lowest = price_at(from), sum = price_at(from);
    std::int64_t count = 1, money = 0;
    for (const PriceChange& change : changes) {
      if (change.time <= from || change.time > to) continue;
      lowest = std::min(lowest, change.price);
      sum += change.price;
      ++count;
    }
    for (Seconds time = from; time < to; ++time) money += price_at(time);
    CHECK(series.at(from) == price_at(from));
    CHECK(series.first_at_or_above(bid, from) == above);
    CHECK(series.first_below(bid, from) == below);
    CHECK(series.lowest(from, to) == lowest);
    CHECK(series.mean_of_values(from, to) == sum / count);
    CHECK(series.price_seconds(from, to) == money);
  }
}

TEST_CASE("price series: time in bid and revocations") {
  // Bid 30: below in [0, 100), out in [100, 150), below in [150, 400), out from 400 on.
  const PriceSeries series({{0, 20}, {100, 30}, {150, 10}, {200, 29}, {400, 50}});
  const PriceSeries::InBid past = series.in_bid(30, 0, 500);
  CHECK(past.revocations == 2);
  CHECK(past.below == 350);
  CHECK(series.in_bid(30, 120, 300).revocations == 0);
  CHECK(series.in_bid(30, 120, 300).below == 150);
  CHECK(series.in_bid(5, 0, 500).below == 0);
}

TEST_CASE("synthetic markets: the published facts") {
  // 20 sets of 100 days, m1.small (on-demand 0.085) in 4 zones: at on-demand or above 11 times in
  // 100 days on the mean (880 expected, standard error 30), for at most 2 h 20 min, by up to 17 %.
  std::int64_t times = 0;
  Seconds longest = 0;
  MicroUsd highest = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const MarketSet set = make_markets({.seed = seed}, {types_of_2011()[0]});
    REQUIRE(set.markets.size() == 4);
    for (const Market& market : set.markets) {
      Seconds at = 0;
      while ((at = market.prices.first_at_or_above(85'000, at)) != kNoTime) {
        const Seconds end = market.prices.first_below(85'000, at);
        if (end == kNoTime) break;
        ++times;
        longest = std::max(longest, end - at);
        at = end;
      }
      for (const PriceChange& change : market.prices.changes()) {
        highest = std::max(highest, change.price);
      }
    }
  }
  CHECK(times > 880 - 120);
  CHECK(times < 880 + 120);
  CHECK(longest <= 8400 + 1);
  CHECK(longest > 8000);
  CHECK(highest <= 100'000);  // 0.085 x 1.17 = 0.0995, rounded to 0.1
  CHECK(highest >= 97'000);
}

TEST_CASE("synthetic markets: the same for a seed; zones move together") {
  const auto small = std::vector{types_of_2011()[0], types_of_2011()[1]};
  const MarketSet set = make_markets({.seed = 3}, small);
  const MarketSet again = make_markets({.seed = 3}, small);
  const MarketSet other = make_markets({.seed = 4}, small);
  CHECK(set.markets[5].prices.changes() == again.markets[5].prices.changes());
  CHECK(set.markets[5].prices.changes() != other.markets[5].prices.changes());
  CHECK(set.markets[5].name == "m1.large/Linux/UNIX/us-east-1b");
  CHECK(set.datacenters.size() == 4);
  for (const Market& market : set.markets) {
    CHECK(market.prices.lowest(0, set.end()) >= 10'000);
    CHECK(market.prices.at(0) < set.types[market.type].on_demand_price);
  }
}

}  // namespace
}  // namespace cospot
