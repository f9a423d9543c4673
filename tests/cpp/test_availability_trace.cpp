#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/errors.hpp"
#include "error_text.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/data/markets/availability_trace.hpp"
#include "sim_harness/data/markets/eviction_availability.hpp"
#include "sim_harness/data/markets/synthetic_market.hpp"

namespace cospot {
namespace {

using TickCounts = std::vector<std::uint32_t>;

TEST_CASE("availability traces: the public format") {
  const ScratchFolder folder;
  const auto file = folder.write(
      "t.json", R"({"metadata": {"gap_seconds": 195, "zone": "a"}, "data": [1, 0, 4, 0.0]})");
  const AvailabilityTrace trace = read_availability_trace(file);
  CHECK(trace.tick == std::chrono::seconds(195));
  CHECK(trace.capacity == TickCounts{1, 0, 4, 0});
  CHECK(trace.length() == std::chrono::seconds(780));
}

TEST_CASE("availability traces: what is wrong is said") {
  const ScratchFolder folder;
  const auto error = [&folder](const std::string& text) {
    const auto file = folder.write("t.json", text);
    return error_text<WorkloadError>([&] { (void)read_availability_trace(file); });
  };
  CHECK(contains(error("{"), "t.json: is not valid JSON"));
  CHECK(contains(error(R"({"data": [1]})"), "metadata.gap_seconds is missing"));
  CHECK(contains(error(R"({"metadata": {"gap_seconds": 0}, "data": [1]})"), "from 0.001 to 86400"));
  CHECK(contains(error(R"({"metadata": {"gap_seconds": "x"}, "data": [1]})"), "from 0.001"));
  CHECK(contains(error(R"({"metadata": {"gap_seconds": 300}})"), "data: expected a list"));
  CHECK(contains(error(R"({"metadata": {"gap_seconds": 300}, "data": 3})"), "expected a list"));
  CHECK(contains(error(R"({"metadata": {"gap_seconds": 300}, "data": []})"), "at least one tick"));
  CHECK(contains(error(R"({"metadata": {"gap_seconds": 300}, "data": [1, -1]})"), "tick 1:"));
  CHECK(contains(error(R"({"metadata": {"gap_seconds": 300}, "data": [null]})"), "tick 0:"));
  CHECK_FALSE(error_text<WorkloadError>([&] {
                (void)read_availability_trace(folder / "none.json");
              }).empty());
}

TEST_CASE("availability CSV: rows hold until the next; a tick has the least of what is in it") {
  const ScratchFolder folder;
  // From 600 s (5 min ticks): 4 until 900; 4 and then 0 at 1000; 0; 2 from 1500; the end at 2150.
  const auto file = folder.write("t.csv",
                                 "zone,time,price,available\na,1500,0.4,2\na,600,0.3,4\n"
                                 "a,1000,,0\na,600,0.3,4\na,2150,0.4,1\n");
  const AvailabilityTrace trace = read_availability_trace(file);
  CHECK(trace.tick == std::chrono::seconds(300));
  CHECK(trace.capacity ==
        TickCounts{4, 0, 0, 2, 2});  // what is left of the last tick does not count
  // 400 s of 0.3 and 650 s of 0.4: 380 / 1050 = 0.361905.
  CHECK(*trace.spot_price == doctest::Approx(0.361905).epsilon(1e-6));
  CHECK(trace.prices == std::vector<double>{0.3, 0, 0, 0.4, 0.4});
  CHECK(read_availability_csv(file, std::chrono::seconds(700)).capacity == TickCounts{0, 0});
  // A hundred seconds of 0.3 and 200 of 0.6 are a tick of 0.5; one price at all times is no list.
  const auto prices_in = [&folder](const char* rows) {
    const std::string text = std::string("time,available,price\n") + rows;
    return read_availability_trace(folder.write("p.csv", text)).prices;
  };
  const std::vector<double> changing = prices_in("0,1,0.3\n100,2,0.6\n300,1,0.6\n600,0,\n");
  REQUIRE(changing.size() == 2);
  CHECK(changing[0] == doctest::Approx(0.5));
  CHECK(changing[1] == doctest::Approx(0.6));
  CHECK(prices_in("0,1,0.3\n100,2,0.3\n200,0,\n300,1,0.3\n600,0,\n").empty());
  const auto iso = folder.write("iso.csv.gz",
                                "time,available\n2026-01-01T00:00:00Z,1\n2026-01-01T00:10:00Z,1\n");
  CHECK(read_availability_trace(iso).capacity == TickCounts{1, 1});
  CHECK_FALSE(read_availability_trace(iso).spot_price.has_value());
  // 01:10 at an offset of an hour is 00:10 in UTC.
  const auto offset = folder.write(
      "offset.csv", "time,available\n2026-01-01 00:00,1\n2026-01-01T01:10:00+01:00,1\n");
  CHECK(read_availability_trace(offset).capacity == TickCounts{1, 1});
}

TEST_CASE("availability CSV: what is wrong, on which line, and what was expected") {
  const ScratchFolder folder;
  const auto error = [&folder](const std::string& text) {
    const auto file = folder.write("t.csv", text);
    return error_text<WorkloadError>([&] { (void)read_availability_trace(file); });
  };
  CHECK(contains(error("time,price\n0,1\n"),
                 "t.csv:1: the column 'available' is missing, expected time"));
  CHECK(contains(error("time,available\nsoon,1\n"), "t.csv:2: time is 'soon', expected"));
  CHECK(contains(error("time,available\n0,-1\n"), "available is '-1', expected a number"));
  CHECK(contains(error("time,available,price\n0,1,\n"), "price is empty, expected USD an hour"));
  CHECK(contains(error("time,available,price,currency\n0,1,0.3,USD\n600,1,0.3,EUR\n"),
                 "t.csv:3: currency is 'EUR', expected USD: convert the prices"));
  CHECK_FALSE(
      contains(error("time,available,price,currency\n0,1,0.3,\n600,1,,USD\n"), "currency is"));
  CHECK(contains(error("time,available\n0,1,2\n"), "3 fields, expected 2"));
  CHECK(contains(error("time,available\n0,1\n0,0\n"), "two different rows at time 0"));
  CHECK(contains(error("time,available\n2026-10-25 00:30,1\n2026-10-25 00:30,0\n"),
                 "two different rows at 2026-10-25T00:30:00Z (time 1792888200); dates in an hour "
                 "that clocks repeat need their offset"));
  CHECK(contains(error("time,available\n0,1\n100,0\n"), "span less than a tick of 300 s"));
}

/// The mean time with capacity, or without, in ticks of five minutes.
double mean_spell_hours(const AvailabilityTrace& trace, bool up) {
  double ticks = 0, spells = 0;
  for (std::size_t i = 0; i < trace.capacity.size(); ++i) {
    if ((trace.capacity[i] > 0) != up) continue;
    ++ticks;
    if (i == 0 || (trace.capacity[i - 1] > 0) != up) ++spells;
  }
  return ticks / spells / 12;
}

TEST_CASE("availability CSV: what rests lasts to the end of the file, whatever type ends it") {
  const ScratchFolder folder;
  // Type a has 2 from 0 s; type b has 1 from 100 s and none from 300 s; the file ends at 600 s.
  const auto file =
      folder.write("t.csv", "time,available,type\n0,2,a\n100,1,b\n300,0,b\n600,0,b\n");
  const SimTime tick = std::chrono::seconds(100);
  CHECK(read_availability_csv(file, tick, "a").capacity == TickCounts{2, 2, 2, 2, 2, 2});
  CHECK(read_availability_csv(file, tick, "b").capacity == TickCounts{1, 1, 0, 0, 0});
}

TEST_CASE("availability: traces that are too long for any workload") {
  const ScratchFolder folder;
  const auto error = [](const auto& read) { return error_text<WorkloadError>(read); };
  const auto file = folder.write("t.csv", "time,available\n2026-01-01,2\n9999-01-01,2\n");
  CHECK(contains(error([&] { (void)read_availability_csv(file, std::chrono::seconds(300)); }),
                 "t.csv:3: time is '9999-01-01', expected a time within 10001 days of those"));
  // 9,999 days of 86,400 ticks of a second.
  const auto fine = folder.write("f.csv", "time,available\n0,2\n863913600,2\n");
  CHECK(contains(error([&] { (void)read_availability_csv(fine, std::chrono::seconds(1)); }),
                 "f.csv: the trace is 9999 days long, 863913600 ticks of 1 s; expected at most "
                 "10001 days and 10000000 ticks"));
  const auto json = folder.write(
      "j.json", R"({"metadata": {"gap_seconds": 86400}, "data": [)" + [] {
        std::string ones = "1";
        for (int i = 0; i < 10'001; ++i) ones += ",1";
        return ones;
      }() + "]}");
  CHECK(contains(error([&] { (void)read_availability_trace(json); }), "10002 days long"));
}

TEST_CASE("synthetic availability: the same for a seed, with the means of the model") {
  const AvailabilityModel& model = find_availability_model("bursty");
  const SimTime tick = std::chrono::seconds(300);
  const AvailabilityTrace trace = make_availability(model, 7, 2000 * kDay, tick);
  CHECK(trace.capacity == make_availability(model, 7, 2000 * kDay, tick).capacity);
  CHECK(trace.capacity != make_availability(model, 8, 2000 * kDay, tick).capacity);
  // Without memory: 8,000 times of each kind, so the error of the mean is about 1 %; about 4 % of
  // the times without capacity fall between two ticks and join the times around them.
  const AvailabilityModel& plain = find_availability_model("markov");
  const AvailabilityTrace seen = make_availability(plain, 7, 2000 * kDay, tick);
  CHECK(mean_spell_hours(seen, true) == doctest::Approx(plain.up_hours).epsilon(0.08));
  CHECK(mean_spell_hours(seen, false) == doctest::Approx(plain.down_hours).epsilon(0.08));
  CHECK(contains(error_text<ConfigError>([] { (void)find_availability_model("calm"); }),
                 "found 'calm', expected one of: markov, bursty, daily, regimes, scarce"));
}

TEST_CASE("availability from evictions: none from an eviction or rejection to the next placement") {
  const ScratchFolder folder;
  const std::string header =
      "time_s,event,instance_id,class,vcpus,memory_mb,disk_gb,host,place_in_offer,for_instance_"
      "id\n";
  const auto file = folder.write("e.csv", header +
                                              "-5,placement,a,spot,1,1,0,host-0,,\n"
                                              "150,eviction,a,spot,1,1,0,host-0,,v\n"
                                              "150,placement,v,vm,1,1,0,host-0,,\n"
                                              "310,placement,b,spot,1,1,0,host-1,,\n"
                                              "420,rejection,c,spot,1,1,0,,,\n"
                                              "450,placement,d,spot,1,1,0,host-1,,\n"
                                              "600,placement,e,spot,1,1,0,host-0,,\n"
                                              "900,departure,d,spot,1,1,0,host-1,,\n"
                                              "5000,departure,v,vm,1,1,0,host-0,,\n");
  // Ticks of 100 s: closed from 150 to 310 and from 420 to 450, so in ticks 1, 2, 3 and 4. After
  // 600 s no spot asks any more.
  CHECK(read_eviction_availability(file, std::chrono::seconds(100)).capacity ==
        TickCounts{1, 0, 0, 0, 0, 1});
  const auto error = [&folder](const std::string& text) {
    const auto bad = folder.write("bad.csv", text);
    return error_text<WorkloadError>(
        [&] { (void)read_eviction_availability(bad, std::chrono::seconds(100)); });
  };
  CHECK(contains(error("time,price\n"), "bad.csv:1: the columns 'time_s', 'event', "));
  CHECK(contains(error(header + "x,placement,a,spot,1,1,0,h,,\n"), "bad.csv:2: time_s"));
  CHECK(contains(error(header + "5\n"), "bad.csv:2: 1 fields, expected 10"));
  CHECK(contains(error(header + "500,placement,a,vm,1,1,0,h,,\n"), "a log with spots in it"));
}

TEST_CASE("availability as prices: without capacity no bid is enough") {
  const AvailabilityTrace trace{.tick = std::chrono::seconds(300), .capacity = {1, 1, 0, 2, 2}};
  const PriceSeries prices = prices_of(trace, 30'000);
  CHECK(prices.at(599) == 30'000);
  CHECK(prices.first_at_or_above(100 * kUsd, 0) == 600);
  CHECK(prices.first_below(30'001, 600) == 900);
  CHECK(prices.mean_of_values(0, 1500) == 30'000);
  CHECK(prices.end() == 1500);
}

}  // namespace
}  // namespace cospot
