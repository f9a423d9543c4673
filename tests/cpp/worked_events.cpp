#include "tests/cpp/worked_scenarios.hpp"

// One host of (10, 10), unless said otherwise.

namespace cospot::worked {
namespace {

const ResourceVector kHost{10, 10};

Scenario on_one_host(const std::string& name, std::vector<WorkloadRow> rows, Expected expected,
                     const std::string& evictor = "FIFO") {
  return {name,
          workload_of(std::move(rows)),
          {.host = kHost, .hosts = 1, .evictor = evictor},
          std::move(expected)};
}

void add_equal_times(std::vector<Scenario>& all) {
  // The second VM takes the room that the first leaves at the same moment, in either file order.
  all.push_back(on_one_host("a departure frees its host before an arrival at the same time",
                            {vm({10, 10}, day(0), day(1)), vm({10, 10}, day(1))}, {{0, 0}, {}}));
  all.push_back(on_one_host("departures come first, also against file order",
                            {vm({10, 10}, day(1)), vm({10, 10}, day(0), day(1))}, {{0, 0}, {}}));
  // A spot that ends when the VM comes is gone, not evicted.
  all.push_back(on_one_host("a spot that ends now is no victim",
                            {spot({5, 5}, day(0), day(4)), vm({6, 6}, day(4))}, {{0, 0}, {}},
                            "LPO"));
  // On day 1, r1 comes before r2 in the file: 6 + 6 > 10. r3 (day 0, 4) was there before both.
  all.push_back(on_one_host(
      "equal times go by file order, other times by time",
      {spot({9, 9}, day(2)), spot({6, 6}, day(1)), spot({6, 6}, day(1)), spot({4, 4}, day(0))},
      {{kNoHost, 0, kNoHost, 0}, {}}));
}

void add_zero_length(std::vector<Scenario>& all) {
  // r0 arrives and leaves on day 1 before r1 arrives; r2 meets a full host.
  all.push_back(on_one_host(
      "a zero-length instance leaves before the next arrival",
      {vm({10, 10}, day(1), day(1)), vm({10, 10}, day(1)), spot({1, 1}, day(2), day(2))},
      {{0, 0, kNoHost}, {}}));
  // r1 (10) evicts r0 (5) and leaves at once, so r2 (5) finds the host empty.
  all.push_back(
      on_one_host("a zero-length VM evicts all the same",
                  {spot({5, 5}, day(0)), vm({10, 10}, day(1), day(1)), spot({5, 5}, day(1))},
                  {{0, 0, 0}, {{day(1), 0, 0}}}));
  // r1 asks while r0 (9) is still there: 9 + 2 > 10; that it would not stay does not help.
  all.push_back(on_one_host("a zero-length instance needs room",
                            {vm({9, 9}, day(0), day(1)), vm({2, 2}, day(0.5), day(0.5))},
                            {{0, kNoHost}, {}}));
}

void add_rejections(std::vector<Scenario>& all) {
  // 6 + 6 > 10 on day 1; on day 2, when r0 leaves, r1 does not come back: r2 (10) finds no one.
  all.push_back(
      on_one_host("a rejected request does not retry",
                  {vm({6, 6}, day(0), day(2)), vm({6, 6}, day(1), day(3)), vm({10, 10}, day(2))},
                  {{0, kNoHost, 0}, {}}));
  // A spot evicts no one: 6 + 5 > 10. It counts VMs and spots: r2, 6 + 3 + 2 > 10.
  all.push_back(on_one_host("a spot needs room beside VMs and spots",
                            {spot({6, 6}), spot({5, 5}), vm({3, 3}), spot({2, 2}), spot({1, 1})},
                            {{0, kNoHost, 0, kNoHost, 0}, {}}));
  // A VM counts VMs only: 7 + 4 > 10 although evicting the spot would leave 3. Nobody is evicted.
  all.push_back(on_one_host("a VM that cannot fit evicts nobody",
                            {vm({7, 7}), spot({3, 3}), vm({4, 4})}, {{0, 0, kNoHost}, {}}));
  all.push_back(on_one_host("larger than a host", {vm({11, 1}), spot({1, 11}), vm({10, 10})},
                            {{kNoHost, kNoHost, 0}, {}}));
}

void add_departures(std::vector<Scenario>& all) {
  // r1 evicts r0 (6 + 6 > 10) on day 1 and leaves on day 2; r0 does not come back, so r2 (10)
  // fits. On day 3 r0 would have ended: it must not free a second time, so r3 finds no room.
  all.push_back(on_one_host("an evicted spot does not resume and frees its room once",
                            {spot({6, 6}, day(0), day(3)), vm({6, 6}, day(1), day(2)),
                             vm({10, 10}, day(2)), spot({1, 1}, day(4))},
                            {{0, 0, 0, kNoHost}, {{day(1), 0, 0}}}));
  // Before the window all is as inside: 6 + 6 > 10 on day -2; r0 leaves on day -1.
  all.push_back(on_one_host(
      "early requests are ordinary ones",
      {vm({6, 6}, day(-5), day(-1)), vm({6, 6}, day(-2)), vm({6, 6}, day(-1)), spot({5, 5})},
      {{0, kNoHost, 0, kNoHost}, {}}));
  // Placement order, not file order, is FIFO's: r1 (day 0) is older than r0 (day 1). 10 - 8 = 2
  // left, 2 missing: r1 goes.
  all.push_back(on_one_host("FIFO goes by placement, not by file order",
                            {spot({4, 4}, day(1)), spot({4, 4}, day(0)), vm({4, 4}, day(2))},
                            {{0, 0, 0}, {{day(2), 0, 1}}}));
}

}  // namespace

std::vector<Scenario> event_scenarios() {
  std::vector<Scenario> all;
  add_equal_times(all);
  add_zero_length(all);
  add_rejections(all);
  add_departures(all);
  return all;
}

std::vector<RevenueScenario> revenue_scenarios() {
  const reference::Settings settings{.host = kHost, .hosts = 1};
  return {
      // VMs: r0 3 x [0,2] = 6 of its [-1,2]; r2 9 x [4,14] = 90 of its [4,20], evicts r1 (2 + 9 >
      // 10); r3 (5 + 9 > 10) asks 5 x [5,6] = 5 and gets 0; r5 starts as the window ends and is
      // left out: with it r4 would be evicted (9 + 1 + 1 > 10). Asked 6 + 90 + 5 + 0 = 101,
      // earned 96.
      // Spots: r1 asks 2 x [1,14] = 26 and earns 2 x [1,4] = 6; r4 asks and earns 1 x [13,14] = 1.
      {"revenue ends at the window, at the eviction, and is 0 for the rejected",
       workload_of({vm({3, 3}, day(-1), day(2)), spot({2, 2}, day(1)), vm({9, 9}, day(4), day(20)),
                    vm({5, 5}, day(5), day(6)), spot({1, 1}, day(13), day(15)),
                    vm({1, 1}, day(14), day(16))}),
       settings, 101, 96, 27, 7},
      // VMs: r0 leaves on day -1: 0; r1 2 x [0,1] = 2; r3 leaves on day 0: 0; r4 4 x [12,14] = 8;
      // r5 zero length: 0. Asked and earned 10.
      // Spot r2 asks 6 x [0,5] = 30. On day -1 r0 has left: r1 and r2 hold 8, r3 misses 3, so r2 is
      // evicted before the window and earns 0.
      {"revenue starts at the window",
       workload_of({vm({2, 2}, day(-3), day(-1)), vm({2, 2}, day(-3), day(1)),
                    spot({6, 6}, day(-2), day(5)), vm({5, 5}, day(-1), day(0)), vm({4, 4}, day(12)),
                    vm({1, 1}, day(13), day(13))}),
       settings, 10, 10, 30, 0},
  };
}

std::vector<SizingScenario> sizing_scenarios() {
  // r0 (7,2) -> h0.  r1 (6,6): 13 vcpus > 10 -> h1.  r2 (3,3), delta 0: UTIL 7, 6 -> h0; COS h0
  // free (3,8) 33/(33+|24-9|) < 1, h1 free (4,4) 1 -> h1; DPD a tie -> h0; FirstFit h0.
  // r3 (1,5): with r2 on h0 the vcpus of h0 are gone and h1 has memory 4: 3 hosts. With r2 on h1,
  // h0 has (3,8): 2 hosts. Peak (17,16) of 10: at least 2.
  const Workload tight = workload_of({vm({7, 2}), vm({6, 6}), vm({3, 3}), vm({1, 5})});
  return {
      {"COS packs two hosts", tight, kHost, "COS", 2},
      {"UTIL needs a third", tight, kHost, "UTIL", 3},
      {"DPD needs a third", tight, kHost, "DPD", 3},
      // Peak 18 of 10: at least 2 hosts, but no two VMs fit one.
      {"fragmentation", workload_of({vm({6, 6}), vm({6, 6}), vm({6, 6})}), kHost, "UTIL", 3},
      // Memory 30 of 10.
      {"memory binds", workload_of({vm({1, 10}), vm({1, 10}), vm({1, 10})}), kHost, "DPD", 3},
      // One leaves as the other comes, also when the file has them the other way round.
      {"a departure at the same time",
       workload_of({vm({10, 10}, day(1), day(2)), vm({10, 10}, day(0), day(1))}), kHost, "UTIL", 1},
      // A zero-length VM leaves before the next one comes.
      {"zero length", workload_of({vm({10, 10}, day(1), day(1)), vm({10, 10}, day(1), day(1))}),
       kHost, "COS", 1},
      // 12 vcpus of spots count for nothing.
      {"spots do not count", workload_of({spot({6, 6}), spot({6, 6}), vm({4, 4})}), kHost, "UTIL",
       1},
  };
}

}  // namespace cospot::worked
