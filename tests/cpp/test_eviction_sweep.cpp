#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "guarantees/sla/eviction_sweep.hpp"
#include "guarantees/sla/lifetime_quantiles.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/reference_lifetimes_sla.hpp"

namespace cospot {
namespace {

using std::chrono::seconds;

Request swept_vm(InstanceIndex id, ResourceAmount vcpus, std::int64_t at) {
  return {.vcpus = vcpus, .instance = id, .time = seconds(at)};
}
Request swept_spot(InstanceIndex id, ResourceAmount vcpus, std::int64_t at) {
  Request request = swept_vm(id, vcpus, at);
  request.instance_class = InstanceClass::kSpot;
  return request;
}

/// Starting points all over a history, also at the very times of its events.
std::vector<SimTime> starts_in(const History& history, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<SimTime> starts;
  const auto end = static_cast<std::uint64_t>(history.events().back().time.count());
  for (std::size_t i = 0; i < count; ++i) {
    starts.emplace_back(static_cast<std::int64_t>(random.below(end)));
  }
  for (std::size_t i = 0; i < history.events().size(); i += 7) {
    starts.push_back(history.events()[i].time);
  }
  std::ranges::sort(starts);
  return starts;
}

void check_same(const FictitiousSpot& found, const FictitiousSpot& expected) {
  CHECK(found.slots == expected.slots);
  CHECK(found.lifetime.count() == expected.lifetime.count());
}

TEST_CASE("sweep_evictions: a history of one host worked out by hand") {
  History history({{4, 0, 0}});
  history.place(swept_vm(1, 2, 10), 0);    // 2 free
  history.place(swept_spot(2, 1, 20), 0);  // 1 free
  history.end(1, seconds(30));             // 3 free
  history.place(swept_vm(3, 3, 40), 0);    // 0 free
  history.end(2, seconds(50));             // 1 free
  history.end(3, seconds(60));
  const std::array<SimTime, 6> starts{seconds(5),  seconds(15), seconds(25),
                                      seconds(35), seconds(45), seconds(55)};
  const auto fates = sweep_evictions(history, {1, 0, 0}, starts, VictimRule::kYoungest);
  // At 40 s the VM needs 3 of 4. Those from 5 and 15 s are older than spot 2, which goes for them:
  // 3 + 1 <= 4. Those from 25 and 35 s are younger than it: 3 + 1 + 1 > 4.
  check_same(fates[0], {.slots = 4});
  check_same(fates[1], {.slots = 2});
  check_same(fates[2], {.slots = 1, .lifetime = seconds(15)});
  check_same(fates[3], {.slots = 3, .lifetime = seconds(5)});
  check_same(fates[4], {.slots = 0});
  check_same(fates[5], {.slots = 1});
}

TEST_CASE("sweep_evictions: what is younger than a recorded victim went before it") {
  // Of 4 vcpus a VM has 1 and an old spot 2; at 20 s a VM of 2 comes. A fictitious spot of 1 from
  // 15 s is the youngest and goes first; that is not enough, so the old one goes too.
  const auto fate = [](bool is_evicted) {
    History history({{4, 0, 0}});
    history.place(swept_vm(1, 1, 5), 0);
    history.place(swept_spot(2, 2, 10), 0);
    if (is_evicted) {
      history.evict(2, seconds(20));
    } else {
      history.end(2, seconds(20));
    }
    history.place(swept_vm(3, 2, 20), 0);
    const std::array<SimTime, 1> starts{seconds(15)};
    return sweep_evictions(history, {1, 0, 0}, starts, VictimRule::kYoungest).front();
  };
  check_same(fate(true), {.slots = 1, .lifetime = seconds(5)});
  // Had the old one ended by itself, 1 + 2 + 1 would fit.
  check_same(fate(false), {.slots = 1});
}

TEST_CASE("sweep_evictions: who is promised nothing any more goes before a promised spot") {
  // Of 4 vcpus an old spot has 2; a VM of 2 comes at 20 s beside a fictitious spot of 1 from 15 s.
  const auto fate = [](SimTime promised_until, bool is_evicted) {
    History history({{4, 0, 0}});
    history.place(swept_spot(1, 2, 10), 0, promised_until);
    if (is_evicted) history.evict(1, seconds(20));
    history.place(swept_vm(2, 2, 20), 0);
    const std::array<SimTime, 1> starts{seconds(15)};
    return sweep_evictions(history, {1, 0, 0}, starts, VictimRule::kYoungest).front();
  };
  // 2 + 2 + 1 > 4: the younger of two promised ones goes. What is promised less than 20 s, or
  // nothing, goes for it, whether it did in truth or not.
  check_same(fate(kNever, false), {.slots = 2, .lifetime = seconds(5)});
  check_same(fate(seconds(21), false), {.slots = 2, .lifetime = seconds(5)});
  check_same(fate(seconds(20), false), {.slots = 2});
  check_same(fate(kNoPromisedEnd, false), {.slots = 2});
  check_same(fate(kNever, true), {.slots = 2, .lifetime = seconds(5)});
  check_same(fate(kNoPromisedEnd, true), {.slots = 2});
}

TEST_CASE("sweep_evictions: with few promises it is the whole simulation where that is exact") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const reference::RandomHistory several{.hosts = 3, .requests = 300, .promised_percent = 40};
    const History history = reference::random_history(several, seed);
    const std::vector<SimTime> starts = starts_in(history, 40, seed);
    const auto fates = sweep_evictions(history, {1, 0, 0}, starts, VictimRule::kYoungest);
    for (std::size_t i = 0; i < starts.size(); ++i) {
      CAPTURE(seed);
      CAPTURE(i);
      check_same(fates[i], reference::shortcut(history, {1, 0, 0}, starts[i]));
      check_same(fates[i],
                 reference::full_replay(history, {1, 0, 0}, starts[i], VictimRule::kYoungest));
    }
  }
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const History history = reference::random_history(
        {.hosts = 1, .host_vcpus = 12, .largest = 4, .promised_percent = 40}, seed);
    const std::vector<SimTime> starts = starts_in(history, 30, seed);
    for (const VictimRule rule :
         {VictimRule::kYoungest, VictimRule::kFirstHost, VictimRule::kFewest}) {
      const auto fates = sweep_evictions(history, {2, 0, 0}, starts, rule);
      for (std::size_t i = 0; i < starts.size(); ++i) {
        CAPTURE(seed);
        CAPTURE(i);
        check_same(fates[i], reference::shortcut(history, {2, 0, 0}, starts[i]));
      }
    }
  }
}

TEST_CASE("sweep_evictions: a VM that finds another host leaves a spot alone") {
  History history({{4, 0, 0}, {4, 0, 0}});
  history.place(swept_vm(1, 4, 10), 0);  // beside a spot on host 0 it would have gone to host 1
  history.place(swept_vm(2, 4, 20), 1);  // and this one nowhere
  const std::array<SimTime, 2> starts{seconds(5), seconds(15)};
  const auto fates = sweep_evictions(history, {1, 0, 0}, starts, VictimRule::kYoungest);
  check_same(fates[0], {.slots = 8, .lifetime = seconds(15)});
  check_same(fates[1], {.slots = 4, .lifetime = seconds(5)});
}

TEST_CASE("sweep_evictions: a spot that is larger than the VM it displaces stays") {
  History history({{4, 0, 0}, {4, 0, 0}});
  history.place(swept_vm(1, 3, 10), 1);  // as if something had been on host 0
  history.place(swept_vm(2, 1, 20),
                0);  // beside a spot of 4 on host 0 it would have gone to host 1
  history.place(swept_vm(3, 1, 30), 0);  // and this one nowhere
  const std::array<SimTime, 1> starts{seconds(15)};
  const auto fates = sweep_evictions(history, {4, 0, 0}, starts, VictimRule::kYoungest);
  check_same(fates[0], {.slots = 1, .lifetime = seconds(15)});
}

TEST_CASE(
    "sweep_evictions: with instances of one size it is the shortcut, on any number of hosts") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const History history = reference::random_history({.hosts = 3, .requests = 300}, seed);
    const std::vector<SimTime> starts = starts_in(history, 40, seed);
    const auto fates = sweep_evictions(history, {1, 0, 0}, starts, VictimRule::kYoungest);
    for (std::size_t i = 0; i < starts.size(); ++i) {
      CAPTURE(seed);
      CAPTURE(i);
      check_same(fates[i], reference::shortcut(history, {1, 0, 0}, starts[i]));
      check_same(fates[i],
                 reference::full_replay(history, {1, 0, 0}, starts[i], VictimRule::kYoungest));
    }
  }
}

TEST_CASE("sweep_evictions: on one host it is the shortcut, for every size and victim rule") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const History history =
        reference::random_history({.hosts = 1, .host_vcpus = 12, .largest = 4}, seed);
    const std::vector<SimTime> starts = starts_in(history, 30, seed);
    for (const ResourceAmount size : {1, 2, 4}) {
      for (const VictimRule rule :
           {VictimRule::kYoungest, VictimRule::kFirstHost, VictimRule::kFewest}) {
        const auto fates = sweep_evictions(history, {size, 0, 0}, starts, rule);
        for (std::size_t i = 0; i < starts.size(); ++i) {
          check_same(fates[i], reference::shortcut(history, {size, 0, 0}, starts[i]));
        }
      }
    }
  }
}

TEST_CASE("sweep_evictions: cohorts share what each of their spots comes to by itself") {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    const auto rule = static_cast<VictimRule>(seed % 3);
    const reference::RandomHistory recipe{.hosts = 2 + seed % 4,
                                          .host_vcpus = 8,
                                          .largest = 4,
                                          .requests = 300,
                                          .mean_minutes = 14,
                                          .rule = rule,
                                          .promised_percent = seed % 2 == 0 ? 40U : 100U};
    History::State state = reference::random_history(recipe, seed).state();
    // As first fit has it, and last fit.
    for (const bool turns : {false, true}) {
      for (HistoryEvent& event : state.events) {
        if (turns) event.host = static_cast<HostIndex>(recipe.hosts) - 1 - event.host;
      }
      const History history(state);
      const std::vector<SimTime> starts = starts_in(history, 40, seed);
      for (const ResourceAmount size : {1, 3, 6}) {
        const auto fates = sweep_evictions(history, {size, 0, 0}, starts, rule);
        for (std::size_t i = 0; i < starts.size(); ++i) {
          CAPTURE(seed);
          CAPTURE(size);
          CAPTURE(i);
          check_same(fates[i], reference::one_by_one(history, {size, 0, 0}, starts[i], rule));
        }
      }
    }
  }
}

TEST_CASE("EvictionSweep: one pass has what a sweep as of each time has, for some of its starts") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto rule = static_cast<VictimRule>(seed % 3);
    const History history = reference::random_history(
        {.host_vcpus = 8, .largest = 4, .mean_minutes = 14, .rule = rule}, seed);
    const std::vector<SimTime> starts = starts_in(history, 40, seed);
    const auto sweep = make_eviction_sweep(history.host_totals(), {3, 0, 0}, starts, rule);
    for (const std::size_t event : std::initializer_list<std::size_t>{50, 51, 100, 250}) {
      const SimTime until = history.events()[event].time;
      sweep->run(history.events(), until);
      std::vector<SimTime> some(starts.begin(), std::ranges::lower_bound(starts, until));
      some.erase(some.begin(), some.begin() + 5);
      const auto expected = sweep_evictions(history, {3, 0, 0}, some, rule, until);
      const auto fates = sweep->fates().subspan(5);
      for (std::size_t i = 0; i < some.size(); ++i) check_same(fates[i], expected[i]);
    }
  }
}

/// The share of fictitious spots that live longer than some time, by the sweep and in truth.
struct Survival {
  double swept = 0;
  double replayed = 0;
};

Survival survival_beyond(SimTime time, ResourceAmount size, VictimRule rule,
                         std::uint64_t promised_percent) {
  std::size_t swept = 0;
  std::size_t replayed = 0;
  std::size_t count = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const History history = reference::random_history({.hosts = 4,
                                                       .host_vcpus = 8,
                                                       .largest = 4,
                                                       .mean_minutes = 14,
                                                       .rule = rule,
                                                       .promised_percent = promised_percent},
                                                      seed);
    const std::vector<SimTime> starts = starts_in(history, 30, seed);
    const auto fates = sweep_evictions(history, {size, 0, 0}, starts, rule);
    for (std::size_t i = 0; i < starts.size(); ++i) {
      if (fates[i].slots == 0) continue;
      ++count;
      swept += fates[i].lifetime > time;
      replayed += reference::full_replay(history, {size, 0, 0}, starts[i], rule).lifetime > time;
    }
  }
  return {static_cast<double>(swept) / static_cast<double>(count),
          static_cast<double>(replayed) / static_cast<double>(count)};
}

TEST_CASE("sweep_evictions: with several sizes and hosts it stays near the whole simulation") {
  // Where displaced instances displace others the sweep leaves that out. Here, in a cloud so full
  // that up to half of the spots are evicted within 20 minutes, it finds up to 8 points fewer
  // survivors, and at most two more.
  for (const VictimRule rule :
       {VictimRule::kYoungest, VictimRule::kFirstHost, VictimRule::kFewest}) {
    for (const ResourceAmount size : {1, 2, 4}) {
      for (const std::int64_t minutes : {1, 5, 20}) {
        CAPTURE(size);
        CAPTURE(minutes);
        CAPTURE(static_cast<int>(rule));
        const Survival survival = survival_beyond(seconds(60 * minutes), size, rule, 100);
        CHECK(survival.swept <= survival.replayed + 0.02);
        CHECK(survival.swept >= survival.replayed - 0.09);
        const Survival mixed = survival_beyond(seconds(60 * minutes), size, rule, 40);
        CAPTURE(mixed.swept);
        CAPTURE(mixed.replayed);
        CHECK(mixed.swept <= mixed.replayed + 0.02);
        CHECK(mixed.swept >= mixed.replayed - 0.09);
        CHECK(mixed.swept >= survival.swept);
      }
    }
  }
}

TEST_CASE("History: what cannot have happened is an error") {
  History history({{4, 0, 0}});
  history.place(swept_spot(1, 1, 10), 0);
  CHECK(error_text<InputError>([&] { history.place(swept_vm(2, 1, 9), 0); }) ==
        "the history goes back in time: 9 s after 10 s");
  CHECK_THROWS_AS(history.place(swept_vm(1, 1, 11), 0), InputError);  // runs already
  CHECK_THROWS_AS(history.place(swept_vm(3, 1, 11), 1), InputError);  // no such host
  CHECK_THROWS_AS(history.end(7, seconds(12)), InputError);           // does not run
  history.place(swept_vm(4, 1, 12), 0);
  History continued(history.state());
  CHECK_THROWS_AS(history.evict(4, seconds(13)), InputError);  // a VM
  continued.end(4, seconds(13));                               // runs there as well
  CHECK_THROWS_AS(continued.end(4, seconds(14)), InputError);  // no longer
  CHECK_THROWS_AS(History(std::vector<ResourceVector>{}), InputError);
  CHECK_THROWS_AS(History({{0, 0, 0}}), InputError);
}

}  // namespace
}  // namespace cospot
