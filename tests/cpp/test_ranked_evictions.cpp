#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/handshake/handshake.hpp"
#include "core/handshake/ranked_evictions.hpp"
#include "core/handshake/spot_side.hpp"
#include "core/random.hpp"
#include "evictors/fifo_evictor.hpp"
#include "evictors/lifetime_evictor.hpp"
#include "evictors/youngest_first_evictor.hpp"
#include "tests/cpp/error_text.hpp"

namespace cospot {
namespace {

constexpr SimTime kNow = 100 * kDay;

RunningSpot running(InstanceIndex instance, ResourceAmount vcpus, std::int64_t placed_at,
                    SimTime promised_until = kNoPromisedEnd) {
  return {.instance = instance,
          .resources = {.vcpus = vcpus, .memory_mb = 0},
          .placed_at = SimTime{placed_at},
          .ends_at = kNever,
          .promised_until = promised_until};
}

std::vector<std::uint32_t> victims_of(const Evictor& evictor, const std::vector<RunningSpot>& spots,
                                      ResourceAmount missing) {
  RankedEvictions evictions(evictor);
  RankedPlan plan = evictions.no_plan();
  const EvictionCase eviction{
      .spots = spots, .shortfall = {.vcpus = missing, .memory_mb = 0}, .now = kNow};
  REQUIRE(evictions.make_plan(eviction, nullptr, plan));
  return plan.plan.victims;
}

using Victims = std::vector<std::uint32_t>;

TEST_CASE("RankedEvictions: a promised spot stays where another would do") {
  const YoungestFirstEvictor yjf{PluginOptions{}};
  const FifoEvictor fifo{PluginOptions{}};
  const SimTime later = kNow + kDay;
  // YJF takes the younger promised one next to an older one; FIFO the reverse.
  CHECK(victims_of(yjf, {running(0, 2, 1), running(1, 2, 2, later)}, 2) == Victims{0});
  CHECK(victims_of(fifo, {running(0, 2, 1, later), running(1, 2, 2)}, 2) == Victims{1});
  // A promise that is over, at this very moment too, is none.
  CHECK(victims_of(yjf, {running(0, 2, 1), running(1, 2, 2, kNow)}, 2) == Victims{1});
  // Of 6 missing the one without a promise has 2. Two promised ones have to go, and then it need
  // not: 4 + 4 >= 6.
  CHECK(victims_of(yjf, {running(0, 2, 1), running(1, 4, 2, later), running(2, 4, 3, later)}, 8) ==
        Victims{1, 2});
  // Of 5 it frees 2; the youngest promised one has the rest.
  CHECK(victims_of(yjf, {running(0, 2, 1), running(1, 4, 2, later), running(2, 3, 3, later)}, 5) ==
        Victims{0, 2});
}

TEST_CASE("SpotSide: of all offered hosts the one wins on which no promise is broken") {
  const YoungestFirstEvictor yjf{PluginOptions{}};
  HostTable hosts({{.name = "one", .total = {4, 1}},
                   {.name = "two", .total = {4, 1}},
                   {.name = "mixed", .total = {6, 1}}});
  hosts.add_spot(0, {4, 0});
  hosts.add_spot(1, {2, 0});
  hosts.add_spot(1, {2, 0});
  hosts.add_spot(2, {2, 0});
  hosts.add_spot(2, {4, 0});
  const std::vector<RunningSpot> promised{running(0, 4, 1, kNow + kDay)};
  const std::vector<RunningSpot> others{running(1, 2, 2), running(2, 2, 3)};
  SpotSide side(yjf);
  side.start({.vcpus = 4, .time = kNow});
  const HandshakeObserver nobody{};
  // One victim there, two here: without promises the first would win.
  side.consider(hosts, 0, promised, nobody);
  CHECK(side.host() == 0);
  side.consider(hosts, 1, others, nobody);
  CHECK(side.host() == 1);
  CHECK(side.plan().victims == Victims{0, 1});
  // And the other way round, where the second has the promise.
  side.start({.vcpus = 4, .time = kNow});
  side.consider(hosts, 1, others, nobody);
  side.consider(hosts, 0, promised, nobody);
  CHECK(side.host() == 1);
  // A promise that is kept costs nothing: one victim beside it is less than two.
  side.start({.vcpus = 4, .time = kNow});
  side.consider(hosts, 2, std::array{running(0, 2, 1, kNow + kDay), running(1, 4, 2)}, nobody);
  side.consider(hosts, 1, others, nobody);
  CHECK(side.host() == 2);
  CHECK(side.plan().score == 1);
}

/// All sets of spots that may be told apart by who chooses: for FIFO and YJF so many of the oldest
/// or youngest of each kind, else all.
struct Tried {
  std::size_t promised = 0, others = 0;
  double promised_cost = 0, others_cost = 0;
  Victims victims{};
};

/// The best set by trying all: the least promised, then the least of the others.
std::optional<Tried> best_of_all(const std::string& evictor, const std::vector<RunningSpot>& spots,
                                 const ResourceVector& missing) {
  std::optional<Tried> best;
  for (std::uint32_t set = 0; set < 1U << spots.size(); ++set) {
    Tried tried;
    ResourceVector left = missing;
    std::array<bool, 2> skipped{false, false};
    bool is_in_order = true;
    for (std::size_t step = 0; step < spots.size(); ++step) {
      const std::size_t i = evictor == "YJF" ? spots.size() - 1 - step : step;
      const bool is_promised = spots[i].promised_until > kNow;
      if ((set >> i & 1) == 0) {
        skipped[is_promised ? 1 : 0] = true;
        continue;
      }
      // Whoever is taken comes before whoever is not, among those of one kind.
      if (skipped[is_promised ? 1 : 0]) is_in_order = false;
      left -= spots[i].resources;
      tried.victims.push_back(static_cast<std::uint32_t>(i));
      const double life = static_cast<double>((spots[i].ends_at - kNow).count());
      const double cost = evictor == "LPO" ? life * spots[i].resources.vcpus : 1;
      (is_promised ? tried.promised_cost : tried.others_cost) += cost;
      ++(is_promised ? tried.promised : tried.others);
    }
    if (evictor != "LPO" && !is_in_order) continue;
    if (!left.fits_in({})) continue;
    const auto costs = [](const Tried& one) {
      return std::tuple(one.promised_cost, one.others_cost);
    };
    if (!best || costs(tried) < costs(*best)) best = tried;
  }
  return best;
}

TEST_CASE("RankedEvictions: of all sets that suffice the one that costs promises least") {
  Random random(7);
  const FifoEvictor fifo{PluginOptions{}};
  const YoungestFirstEvictor yjf{PluginOptions{}};
  // Remaining lives up to day 200.
  const LpoEvictor lpo(PluginOptions("LPO", {{"from_day", 0.0}, {"horizon_day", 200.0}}));
  const std::array<std::pair<std::string, const Evictor*>, 3> evictors{
      {{"FIFO", &fifo}, {"YJF", &yjf}, {"LPO", &lpo}}};
  std::size_t with_promised = 0, without = 0, impossible = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<RunningSpot> spots;
    const auto count = static_cast<std::uint32_t>(random.below(8));
    for (std::uint32_t i = 0; i < count; ++i) {
      RunningSpot spot = running(i, 1 + static_cast<ResourceAmount>(random.below(4)), i);
      spot.resources.memory_mb = static_cast<ResourceAmount>(random.below(4));
      spot.ends_at = kNow + SimTime{1 + static_cast<std::int64_t>(random.below(1'000'000))};
      if (random.below(2) == 0) spot.promised_until = kNow + SimTime{1};
      spots.push_back(spot);
    }
    const ResourceVector missing{.vcpus = 1 + static_cast<ResourceAmount>(random.below(12)),
                                 .memory_mb = static_cast<ResourceAmount>(random.below(6))};
    for (const auto& one : evictors) {
      const std::string& name = one.first;
      CAPTURE(name);
      CAPTURE(round);
      RankedEvictions evictions(*one.second);
      RankedPlan plan = evictions.no_plan();
      const bool found =
          evictions.make_plan({.spots = spots, .shortfall = missing, .now = kNow}, nullptr, plan);
      const auto best = best_of_all(name, spots, missing);
      REQUIRE(found == best.has_value());
      if (!found) {
        ++impossible;
        continue;
      }
      double promised_cost = 0, others_cost = 0;
      std::size_t promised = 0;
      ResourceVector others;
      for (const std::uint32_t victim : plan.plan.victims) {
        const RunningSpot& spot = spots[victim];
        const double life = static_cast<double>((spot.ends_at - kNow).count());
        const double cost = name == "LPO" ? life * spot.resources.vcpus : 1;
        (spot.is_promised(kNow) ? promised_cost : others_cost) += cost;
        if (spot.is_promised(kNow)) ++promised;
      }
      CHECK(promised_cost == best->promised_cost);
      CHECK(others_cost == best->others_cost);
      for (const RunningSpot& spot : spots) {
        if (!spot.is_promised(kNow)) others += spot.resources;
      }
      // A promised one goes exactly where all others together do not suffice.
      CHECK((promised == 0) == missing.fits_in(others));
      ++(promised > 0 ? with_promised : without);
    }
  }
  // Each kind came up often.
  CHECK(with_promised > 500);
  CHECK(without > 500);
  CHECK(impossible > 100);
}

/// An evictor that answers every case with one plan, right or wrong.
struct FixedEvictor final : Evictor {
  explicit FixedEvictor(EvictionPlan answer) : plan(std::move(answer)) {}
  bool make_plan(const EvictionCase& /*eviction*/, double /*score_limit*/,
                 EvictionPlan& answer) const override {
    answer = plan;
    return true;
  }

  EvictionPlan plan;
};

TEST_CASE("RankedEvictions: a wrong plan is an error, whoever asks and whatever rank it is for") {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
  const std::string short_plan = "an evictor's plan does not free enough for the VM";
  const std::string bad_victims =
      "an evictor named victims that are not on the host or not in order";
  // Three spots of 2; 4 are missing. Any two of them suffice.
  const std::vector<std::pair<EvictionPlan, std::string>> answers{
      {{.victims = {0, 2}, .score = 2}, ""},
      {{.victims = {}, .score = 0}, short_plan},
      {{.victims = {2}, .score = 1}, short_plan},
      {{.victims = {1, 1}, .score = 2}, bad_victims},
      {{.victims = {2, 0}, .score = 2}, bad_victims},
      {{.victims = {0, 3}, .score = 2}, bad_victims},
      {{.victims = {3, 4}, .score = 2}, bad_victims},
      {{.victims = {0, 1}, .score = kNoNumber},
       "an evictor's score is nan, expected a finite number"},
      {{.victims = {0, 1}, .score = kInfinite},
       "an evictor's score is inf, expected a finite number"},
      {{.victims = {0, 1}, .score = -kInfinite},
       "an evictor's score is -inf, expected a finite number"},
  };
  HostTable hosts({{.name = "full", .total = {6, 6}}});
  for (int spot = 0; spot < 3; ++spot) hosts.add_spot(0, {2, 0});
  for (const SimTime promised_until : {kNoPromisedEnd, kNow + kDay}) {
    std::vector<RunningSpot> spots;
    for (const InstanceIndex i : {0U, 1U, 2U}) spots.push_back(running(i, 2, i, promised_until));
    const EvictionCase eviction{
        .spots = spots, .shortfall = {.vcpus = 4, .memory_mb = 0}, .now = kNow};
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const auto& [plan, expected] = answers[i];
      CAPTURE(i);
      const FixedEvictor evictor(plan);
      RankedEvictions evictions(evictor);
      RankedPlan made = evictions.no_plan();
      CHECK(error_text<PolicyError>([&] { (void)evictions.make_plan(eviction, nullptr, made); }) ==
            expected);
      if (expected.empty()) CHECK(made.plan.victims == Victims{0, 2});
      Handshake handshake(evictor);
      const Offer offer{.request = {.vcpus = 4, .time = kNow}, .hosts = {{.host = 0}}};
      const auto spots_of = [&](HostIndex) { return std::span<const RunningSpot>(spots); };
      Choice choice;
      CHECK(error_text<PolicyError>([&] { choice = handshake.choose(hosts, offer, spots_of); }) ==
            expected);
      CHECK(choice.has_host() == expected.empty());
    }
  }
}

}  // namespace
}  // namespace cospot
