// What a provider tells its customers in a file, and what a customer sees: worked out by hand.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "error_text.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/customer/broker/fault_tolerance.hpp"
#include "sim_harness/customer/deadline/spell_history.hpp"
#include "sim_harness/data/markets/flavor_prices.hpp"
#include "sim_harness/data/markets/provider_signals.hpp"
#include "sim_harness/provider/signals/customer_view.hpp"
#include "sim_harness/provider/signals/recent_evictions.hpp"

namespace cospot {
namespace {

using doctest::Approx;
using std::chrono::seconds;

TEST_CASE("age tally: hours and ends by the class of age") {
  AgeTally tally;
  tally.add(5, true);     // 0.25, 0.75, 3 and 1 h
  tally.add(4, true);     // ends in the class up to 4 h
  tally.add(0.5, false);  // 0.25 and 0.25 h, seen no longer
  tally.add(20, false);   // 0.25, 0.75, 3, 12 and 4 h
  CHECK(tally.hours[0] == Approx(1));
  CHECK(tally.hours[1] == Approx(2.5));
  CHECK(tally.hours[2] == Approx(9));
  CHECK(tally.hours[3] == Approx(13));
  CHECK(tally.hours[4] == Approx(4));
  CHECK(tally.ends == std::array<double, kSignalAges>{0, 0, 1, 1, 0});
}

TEST_CASE("age tally: what is seen from some age on, and what fades") {
  AgeTally tally;
  tally.add(0.5, 2, true);  // 0.5 h of the class up to 1 h, 1 h of that up to 4 h, where it ends
  CHECK(tally.hours == std::array<double, kSignalAges>{0, 0.5, 1, 0, 0});
  CHECK(tally.ends == std::array<double, kSignalAges>{0, 0, 1, 0, 0});
  tally.add(20, 30, false);
  CHECK(tally.hours[4] == Approx(10));
  tally.fade(0.25);
  CHECK(tally.hours == std::array<double, kSignalAges>{0, 0.125, 0.25, 0, 2.5});
  CHECK(tally.ends == std::array<double, kSignalAges>{0, 0, 0.25, 0, 0});
}

TEST_CASE("recent evictions: what was evicted lately counts, and fades by half in a half-life") {
  SpotLives lives;
  const SimTime hour = std::chrono::hours(1);
  lives.placed(0, 0, SimTime{-1});  // filled an empty datacenter
  lives.ended(0, hour, true);
  for (InstanceIndex spot = 1; spot <= 40; ++spot) lives.placed(spot, 0, SimTime{0});
  for (InstanceIndex spot = 1; spot <= 20; ++spot) lives.ended(spot, hour, true);
  RecentEvictions recent;
  recent.see(lives, 2 * hour);
  // By hand: 40 h at most in the classes up to 0.25 h and 1 h, in which 20 ended; 20 h in that up
  // to 4 h, in which none did.
  AgeTally tally{.hours = {10, 30, 20, 0, 0}, .ends = {0, 20, 0, 0, 0}};
  const auto expected = [](const AgeTally& of, double hours) {
    return survival(rates_of(of, rates_of(of)), hours);
  };
  CHECK(recent.survives(0, hour) == Approx(expected(tally, 1)));
  CHECK(recent.survives(0, 4 * hour) == Approx(expected(tally, 4)));
  // A flavor that was never seen is as all are.
  AgeTally nothing;
  CHECK(recent.survives(7, hour) == Approx(survival(rates_of(nothing, rates_of(tally)), 1)));
  // A half-life on, 20 spots have run 2 + 36 h, and the evictions count half.
  recent.see(lives, 2 * hour + RecentEvictions::kHalfLife);
  tally.fade(0.5);
  for (int spot = 0; spot < 20; ++spot) tally.add(2, 38, false);
  CHECK(recent.survives(0, hour) == Approx(expected(tally, 1)));
}

TEST_CASE("rates by age: drawn towards those around, and to what all ages say") {
  AgeTally tally;
  tally.hours = {10, 0, 0, 0, 0};
  tally.ends = {2, 0, 0, 0, 0};
  AgeRates around{};
  around.fill(0.1);
  CHECK(rates_of(tally, around)[0] == Approx((2.0 + 5) / (10 + 50)));
  CHECK(rates_of(tally, around)[4] == Approx(0.1));
  const double overall = 2.5 / 11;
  CHECK(rates_of(tally)[0] == Approx((2.0 + 5) / (10 + 5 / overall)));
  CHECK(rates_of(tally)[1] == Approx(overall));
  // Nothing ever ended: rare, and not impossible.
  CHECK(rates_of(AgeTally{.hours = {99, 0, 0, 0, 0}})[4] == Approx(0.5 / 100));
}

TEST_CASE("signals of a flavor: survival and the mean time to an eviction") {
  FlavorSignals flavor;
  flavor.evictions_per_hour = {4, 2, 1, 1, 1};
  CHECK(flavor.survives(0) == Approx(1));
  CHECK(flavor.survives(0.25) == Approx(std::exp(-1.0)));
  CHECK(flavor.survives(1) == Approx(std::exp(-2.5)));
  CHECK(flavor.survives(20) == Approx(std::exp(-2.5 - 19)));
  flavor.evictions_per_hour.fill(0.5);
  CHECK(flavor.mean_hours_to_eviction() == Approx(2));
}

ProviderSignals some_signals() {
  FlavorSignals flavor{.size = {4, 8}};
  flavor.runs.add(5, true);
  flavor.evictions_per_hour = rates_of(flavor.runs);
  flavor.ends_per_hour.fill(2);
  return {.history = "week.csv", .learned_until_hours = 168, .flavors = {flavor}};
}

TEST_CASE("files of signals: what is written is read") {
  const ScratchFolder folder;
  const ProviderSignals signals = some_signals();
  const auto file = folder.write("s.json", signals_file_json(signals).dump());
  const ProviderSignals read = read_signals_file(file);
  CHECK(read.history == "week.csv");
  CHECK(read.learned_until_hours == 168);
  REQUIRE(read.flavors.size() == 1);
  const FlavorSignals& flavor = read.of({4, 8}, "s.json");
  CHECK(flavor.runs.hours == signals.flavors[0].runs.hours);
  CHECK(flavor.runs.ends == signals.flavors[0].runs.ends);
  CHECK(flavor.evictions_per_hour == signals.flavors[0].evictions_per_hour);
  CHECK(flavor.ends_per_hour == signals.flavors[0].ends_per_hour);
  const std::string error = error_text<ConfigError>([&] { (void)read.of({4, 9}, "s.json"); });
  CHECK(contains(error, "s.json: tells nothing of the flavor 4,9 (vcpus,memory_mb); it has 4,8"));
}

TEST_CASE("files of signals: what is wrong is said") {
  const ScratchFolder folder;
  const auto error = [&folder](const std::string& text) {
    const auto file = folder.write("s.json", text);
    return error_text<ConfigError>([&] { (void)read_signals_file(file); });
  };
  CHECK(contains(error("time,price\n"), "s.json: this is no file of signals; expected one that"));
  CHECK(contains(error("[1]"), "this is no file of signals"));
  CHECK(contains(error(R"({"metadata": {}})"), "this is no file of signals"));
  Json json = signals_file_json(some_signals());
  const auto wrong = [&](const char* pointer, Json value) {
    Json changed = json;
    changed[Json::json_pointer(pointer)] = std::move(value);
    return error(changed.dump());
  };
  CHECK(contains(wrong("/version", 2), "version: found 2, expected 1"));
  CHECK(contains(wrong("/flavors", Json::array()), "flavors: expected at least one"));
  CHECK(
      contains(wrong("/flavors/0/vcpus", "4"), "flavors[0].vcpus: found \"4\", expected a number"));
  CHECK(contains(wrong("/flavors/0/runs/1/from_age_h", 3), "runs[1].from_age_h: expected 0.25"));
  CHECK(contains(wrong("/flavors/0/runs", Json::array()), "runs: expected a list of 5 ages"));
  CHECK(contains(wrong("/flavors/0/waits/4/ends_per_hour", 0), "expected a number above 0"));
}

TEST_CASE("price histories: what is a change, by hand") {
  const ScratchFolder folder;
  const auto read = [&folder](const std::string& text) {
    return read_flavor_price_history(folder.write("p.csv", text));
  };
  // Of 4,8: 0.2 at 0 h, the same again, 0.3 at 2 h, 0.1 at 3 h and 0.2 at 10 h.
  const auto all = read(
      "time,vcpus,memory_mb,spot,note\n7200,4,8,0.3,x\n0,4,8,0.2,\n3600,4,8,0.2,\n10800,4,8,0.1,\n"
      "36000,4,8,0.2,\n0,2,4,0.1,\n");
  REQUIRE(all.size() == 2);
  CHECK(all[0].size == ResourceVector{4, 8});
  CHECK(all[0].count() == 3);
  CHECK(*all[0].mean_hours_between() == Approx(4));
  CHECK(*all[0].least_hours_between() == Approx(1));
  CHECK(all[0].changes.back().time == 36'000);
  CHECK(all[0].lowest() == Approx(0.1));
  CHECK(all[0].highest() == Approx(0.3));
  CHECK(all[1].count() == 0);
  CHECK_FALSE(all[1].mean_hours_between());
  CHECK(price_time_text(43'200) == "day 0.5");
  CHECK(price_time_text(1'772'323'200) == "2026-03-01T00:00:00Z");
  const auto error = [&](const std::string& text) {
    return error_text<WorkloadError>([&] { (void)read(text); });
  };
  CHECK(contains(error("time,vcpus,memory_mb,spot\n5,4,8,1\n9,4,8,1\n9,4,8,2\n"),
                 "p.csv: the flavor 4,8 has two spot prices at day"));
  CHECK(contains(error("time,vcpus,memory_mb,spot\n5,4,8,0\n"), "p.csv:2:"));
  CHECK(contains(error("time,vcpus,memory_mb,price\n5,4,8,1\n"), "spot"));
}

SpotLife life(int from, int to, bool is_evicted) {
  return {.placed_at = seconds(from), .ended_at = seconds(to), .is_evicted = is_evicted};
}

TEST_CASE("customer trace: shares the fate of real spots, nearest in age") {
  using Counts = std::vector<std::uint32_t>;
  const std::vector<std::int64_t> fits(8, 1);
  const auto trace = [](const std::vector<SpotLife>& lives, const std::vector<std::int64_t>& slots,
                        int renewal = 1000) {
    return customer_trace(lives, slots, seconds(10), seconds(renewal)).capacity;
  };
  // Evicted in the tick from 30 s; a new one at 40 s.
  CHECK(trace({life(-5, 35, true), life(36, 200, false)}, fits) == Counts{1, 1, 1, 0, 1, 1, 1, 1});
  // It does not fit before 60 s.
  CHECK(trace({life(-5, 35, true), life(36, 200, false)}, {1, 1, 1, 1, 0, 0, 1, 1}) ==
        Counts{1, 1, 1, 0, 0, 0, 1, 1});
  // The first ends by itself at 22 s. Placed at 0 s, the customer's is then nearest in age to the
  // one from 8 s, which is evicted at 51 s, and not to that from 20 s, which is evicted at 31 s.
  CHECK(trace({life(-5, 22, false), life(8, 51, true), life(20, 31, true)}, fits) ==
        Counts{1, 1, 1, 1, 1, 0, 1, 1});
  // A new spot every 20 s is youngest at 20 s, and has the other fate.
  CHECK(trace({life(-5, 22, false), life(8, 51, true), life(20, 31, true)}, fits, 20) ==
        Counts{1, 1, 1, 0, 1, 0, 1, 1});
  // Without a real one nobody is evicted; the next real one counts from its placement on.
  CHECK(trace({life(42, 55, true)}, fits) == Counts{1, 1, 1, 1, 1, 0, 1, 1});
  CHECK(trace({}, {0, 1, 0}) == Counts{0, 1, 1});
}

TEST_CASE("slots at ticks: what fits beside all that runs") {
  History history({{4, 0, 0}});
  Request request;
  request.time = seconds(15);
  request.instance = 1;
  request.vcpus = 3;
  history.place(request, 0);
  history.end(1, seconds(35));
  request.time = seconds(100);
  history.place(request, 0);
  CHECK(slots_at_ticks(history, {2, 0, 0}, seconds(59), seconds(10)) ==
        std::vector<std::int64_t>{2, 2, 0, 0, 2});
}

TEST_CASE("spells: a new spot begins a spell, and ends none") {
  AvailabilityTrace trace{.tick = std::chrono::minutes(30), .capacity = {1, 1, 1, 1, 1, 1}};
  trace.renewal_ticks = 3;
  const SpellHistory kept = spells_before(trace, 6);
  CHECK(kept.rates() != SpellHistory(trace.tick).rates());  // it saw something
  CHECK(spells_before(trace, 5).age_hours() == Approx(0.5));
  // Fewer ends than if the capacity had gone for a tick.
  trace.capacity[3] = 0;
  CHECK(spells_before(trace, 6).rates()[1][0] > kept.rates()[1][0]);
}

TEST_CASE("spells: told rates stand, whatever is seen; the age is still counted") {
  SpellRates told{};
  told[0].fill(3);
  told[1].fill(0.25);
  AvailabilityTrace trace{.tick = std::chrono::minutes(30), .capacity = {1, 0, 1, 1, 1}};
  const SpellHistory history = spells_before(trace, 5, told);
  CHECK_FALSE(history.learns());
  CHECK(history.rates() == told);
  CHECK(history.age_hours() == Approx(1));
}

TEST_CASE("signalled interval: sqrt(2 x save x told lifetime)") {
  const PriceSeries prices({{0, 20}, {700'000, 20}});
  // sqrt(2 x 50 x 40,000) = 2,000; without signals a week of 604,800 s: sqrt(60,480,000) = 7,777.
  SnapshotContext context{.prices = &prices, .bid = 30, .now = 604'800, .save = 50};
  CHECK(SignalledInterval().interval(context) == OptimalInterval().interval(context));
  CHECK(SignalledInterval().interval(context) == 7777);
  context.told_lifetime = 40'000;
  CHECK(SignalledInterval().interval(context) == 2000);
  CHECK(OptimalInterval().interval(context) == 7777);
}

}  // namespace
}  // namespace cospot
