#include "tests/cpp/worked_scenarios.hpp"

// Loss = vcpus x days a spot would still have run, in vcpu-days.

namespace cospot::worked {
namespace {

const ResourceVector kHost{10, 10};

/// The workload of the SAF and OTN scenarios, its VM arriving on day `now`.
///
/// Spots are placed first-fit. The day before `now`: r0 VM (6,2) -> h0.  r1 spot (2,4) -> h0:
/// (8,6).  r2 spot (2,4) -> h0: (10,10).  r3 spot (7,6): h0 full -> h1. All spots would end the
/// day after `now`. r4 VM (4,6): ignoring spots h0 has (4,8) left, so all three hosts are
/// feasible, and UTIL ranks h0 (6 vcpus), h1 (0), h2 (0). COS and DPD rank h0 first, too: it
/// holds a VM, h1 only a spot; h1 and h2, alike when spots are ignored, follow in this order.
///   h0: nothing left beside its spots, (4,6) missing: r1 alone leaves (2,2) missing, r1 and r2
///       leave none. FIFO score 2; loss 2x1 + 2x1 = 4.
///   h1: (3,4) left, (1,2) missing: r3. FIFO score 1; loss 7x1 = 7.
///   h2: empty. Score 0.
Workload contended(double now) {
  const SimTime before = day(now - 1);
  const SimTime after = day(now + 1);
  return workload_of({vm({6, 2}, before), spot({2, 4}, before, after), spot({2, 4}, before, after),
                      spot({7, 6}, before, after), vm({4, 6}, day(now))});
}

struct OfferCase {
  double now;  ///< day of the VM's arrival
  std::string vm;
  std::string evictor;
  std::size_t hosts;
  bool saf;
  std::size_t otn;
  HostIndex host;  ///< the VM's
};

void add_contended(std::vector<Scenario>& all, const OfferCase& c) {
  std::vector<reference::Eviction> evictions;
  if (c.host == 0) evictions = {{day(c.now), 0, 1}, {day(c.now), 0, 2}};
  if (c.host == 1) evictions = {{day(c.now), 1, 3}};
  all.push_back({"a VM meets spots, day " + std::to_string(static_cast<int>(c.now)) + " " + c.vm +
                     " " + c.evictor + (c.saf ? " SAF OTN " : " OTN ") + std::to_string(c.otn) +
                     " hosts " + std::to_string(c.hosts),
                 contended(c.now),
                 {.host = kHost,
                  .hosts = c.hosts,
                  .vm = c.vm,
                  .spot = "FirstFit",
                  .evictor = c.evictor,
                  .saf = c.saf,
                  .otn = c.otn},
                 {{0, 0, 0, 1, c.host}, evictions}});
}

void add_contended_cases(std::vector<Scenario>& all) {
  const std::vector<OfferCase> cases{
      // OTN 1: h0, whatever it costs. OTN 2: FIFO prefers h1 (1 < 2), LPO h0 (4 < 7). OTN 3: h2.
      {5, "UTIL", "FIFO", 3, false, 1, 0},
      {5, "UTIL", "FIFO", 3, false, 2, 1},
      {5, "UTIL", "FIFO", 3, false, 3, 2},
      {5, "UTIL", "YJF", 3, false, 2, 1},
      {5, "UTIL", "LPO", 3, false, 1, 0},
      {5, "UTIL", "LPO", 3, false, 2, 0},
      {5, "UTIL", "LPO", 3, false, 3, 2},
      // Before day 3 LPO scores as FIFO; from day 3 on it does not.
      {2, "UTIL", "LPO", 3, false, 2, 1},
      {3, "UTIL", "LPO", 3, false, 2, 0},
      // SAF: h2 fits the VM beside its spots (it has none), so it ranks first, also before h0,
      // which COS and DPD otherwise prefer as the only host with a VM.
      {5, "UTIL", "FIFO", 3, true, 1, 2},
      {5, "UTIL", "FIFO", 3, true, 2, 2},
      {5, "UTIL", "FIFO", 3, true, 3, 2},
      {5, "UTIL", "LPO", 3, true, 1, 2},
      {5, "COS", "FIFO", 3, false, 1, 0},
      {5, "COS", "FIFO", 3, true, 1, 2},
      {5, "DPD", "FIFO", 3, false, 1, 0},
      {5, "DPD", "FIFO", 3, true, 1, 2},
      // SAF without h2: no host fits the VM beside its spots, so the ranks are as without SAF.
      {5, "UTIL", "FIFO", 2, true, 1, 0},
      {5, "UTIL", "FIFO", 2, true, 2, 1},
      {5, "UTIL", "LPO", 2, true, 2, 0},
      {5, "UTIL", "FIFO", 2, true, 32, 1},
  };
  for (const OfferCase& c : cases) add_contended(all, c);
}

/// r0 VM (2,2) -> h0.  r1 VM (9,2): 11 vcpus > 10 -> h1.  r2 spot (8,8) -> h0, full.  r3 spot
/// (1,8) -> h1, full.  r4 VM (1,8): UTIL ranks h1 (9) before h0 (2). h1: (1,8) missing, r3 goes;
/// h0: (1,8) missing, r2 goes. One victim each: the better VM rank wins, not the lower index.
void add_score_tie(std::vector<Scenario>& all) {
  for (const std::size_t otn : {1U, 2U}) {
    all.push_back(
        {"equal scores go by VM rank, OTN " + std::to_string(otn),
         workload_of({vm({2, 2}), vm({9, 2}), spot({8, 8}), spot({1, 8}), vm({1, 8}, day(1))}),
         {.host = kHost, .hosts = 2, .spot = "FirstFit", .otn = otn},
         {{0, 1, 0, 1, 1}, {{day(1), 1, 3}}}});
  }
}

/// r0 VM (9,9) -> h0.  r1 spot (9,9) -> h1.  r2 VM (2,2) does not fit h0, the most used host. The
/// offer holds feasible hosts only: OTN 1 is h1 (r1 goes), OTN 2 is h1, h2 (none goes).
void add_feasible_offer(std::vector<Scenario>& all) {
  const Workload workload = workload_of({vm({9, 9}), spot({9, 9}), vm({2, 2}, day(1))});
  all.push_back({"an infeasible host takes no place in the offer, OTN 1",
                 workload,
                 {.host = kHost, .hosts = 3, .spot = "FirstFit", .otn = 1},
                 {{0, 1, 1}, {{day(1), 1, 1}}}});
  all.push_back({"an infeasible host takes no place in the offer, OTN 2",
                 workload,
                 {.host = kHost, .hosts = 3, .spot = "FirstFit", .otn = 2},
                 {{0, 1, 2}, {}}});
}

/// A VM arrives on day `now` at one host with the given spots; `victims` are their positions.
void add_one_host(std::vector<Scenario>& all, const std::string& name, const std::string& evictor,
                  std::vector<WorkloadRow> spots, const ResourceVector& vm_size, double now,
                  const std::vector<InstanceIndex>& victims, ResourceVector host = kHost) {
  Expected expected{std::vector<HostIndex>(spots.size() + 1, 0), {}};
  for (const InstanceIndex victim : victims) expected.evictions.push_back({day(now), 0, victim});
  spots.push_back(vm(vm_size, day(now)));
  all.push_back({name + ", " + evictor,
                 workload_of(std::move(spots)),
                 {.host = host, .hosts = 1, .evictor = evictor},
                 expected});
}

/// Only disk is scarce: 10 - 5 = 5 GB left, 3 missing. r0 frees none of it.
///   FIFO takes r0 (nothing gained), then r1.  YJF takes r1, enough.  LPO takes only r1.
void add_nothing_scarce(std::vector<Scenario>& all) {
  const std::vector<WorkloadRow> spots{spot({1, 1, 0}, day(4), day(6)),
                                       spot({1, 1, 5}, day(4), day(6))};
  const ResourceVector host{10, 10, 10};
  const std::string name = "a victim that frees nothing scarce";
  add_one_host(all, name, "FIFO", spots, {4, 4, 8}, 5, {0, 1}, host);
  add_one_host(all, name, "YJF", spots, {4, 4, 8}, 5, {1}, host);
  add_one_host(all, name, "LPO", spots, {4, 4, 8}, 5, {1}, host);
}

/// Spots (2,2), (3,3), (4,4) leave 1; a VM (5,5) misses 4. They end 4, 2 and 1 days from now.
///   FIFO  2 + 3 >= 4: r0, r1.   YJF  4 >= 4: r2.
///   LPO   losses 2x4 = 8, 3x2 = 6, 4x1 = 4: r2 alone suffices, 4; r0 and r1 lose 14.
///   Before day 3 LPO is FIFO; on day 3 it is itself.
void add_least_loss(std::vector<Scenario>& all) {
  const auto spots = [](double now) {
    return std::vector<WorkloadRow>{spot({2, 2}, day(now - 2), day(now + 4)),
                                    spot({3, 3}, day(now - 2), day(now + 2)),
                                    spot({4, 4}, day(now - 2), day(now + 1))};
  };
  add_one_host(all, "growing spots, day 4", "FIFO", spots(4), {5, 5}, 4, {0, 1});
  add_one_host(all, "growing spots, day 4", "YJF", spots(4), {5, 5}, 4, {2});
  add_one_host(all, "growing spots, day 4", "LPO", spots(4), {5, 5}, 4, {2});
  add_one_host(all, "growing spots, day 2", "LPO", spots(2), {5, 5}, 2, {0, 1});
  add_one_host(all, "growing spots, day 2.999", "LPO", spots(2.999), {5, 5}, 2.999, {0, 1});
  add_one_host(all, "growing spots, day 3", "LPO", spots(3), {5, 5}, 3, {2});
  add_one_host(all, "growing spots, day -2", "LPO", spots(-2), {5, 5}, -2, {0, 1});
}

/// Spots (4,4), (3,3), (2,2) leave 1; a VM (5,5) misses 4. They end on days 8, 6, 6; now is 4.
///   FIFO  r0.   YJF  r2 (2), r1 (5).   LPO  4x4 = 16 against 3x2 + 2x2 = 10: r1, r2.
void add_shrinking_spots(std::vector<Scenario>& all) {
  const std::vector<WorkloadRow> spots{spot({4, 4}, day(2), day(8)), spot({3, 3}, day(2), day(6)),
                                       spot({2, 2}, day(2), day(6))};
  add_one_host(all, "shrinking spots", "FIFO", spots, {5, 5}, 4, {0});
  add_one_host(all, "shrinking spots", "YJF", spots, {5, 5}, 4, {1, 2});
  add_one_host(all, "shrinking spots", "LPO", spots, {5, 5}, 4, {1, 2});
}

/// Ties of LPO; every spot runs one more day unless said otherwise.
void add_loss_ties(std::vector<Scenario>& all) {
  const auto run = [](ResourceVector size, double days) {
    return spot(size, day(4), day(5 + days));
  };
  // 2 left, 4 missing: r0 and r1 lose 2 + 2, r2 loses 4. Fewest victims: r2.
  add_one_host(all, "equal losses, fewest victims", "LPO",
               {run({2, 2}, 1), run({2, 2}, 1), run({4, 4}, 1)}, {6, 6}, 5, {2});
  // 4 left, 4 missing: two must go; losses 2x1, 2x2, 2x2: r0 with r1 or with r2 loses 6.
  add_one_host(all, "equal losses, first positions", "LPO",
               {run({2, 2}, 1), run({2, 2}, 2), run({2, 2}, 2)}, {8, 8}, 5, {0, 1});
  // (2,2) left, (4,4) missing. Pairs: r0+r3 (4,4), r1+r2 (4,4) suffice, each losing 4; r0+r1 and
  // r0+r2 free (3,5), r1+r3 and r2+r3 (5,3): too little. Three lose 5 or more. First: r0, r3.
  add_one_host(all, "equal losses, dictionary order", "LPO",
               {run({1, 3}, 1), run({2, 2}, 1), run({2, 2}, 1), run({3, 1}, 1)}, {6, 6}, 5, {0, 3});
}

/// Life is counted to day 90. On day 10 a spot (1,1) that never ends loses 1x80, a spot (2,2)
/// until day 50 loses 2x40 = 80. 7 left, 1 missing: either suffices, so the first goes, in both
/// orders; one day more or less would make one order fail.
/// From day 90 on every victim loses one microsecond: (3,3) loses 3, (2,2) loses 2.
void add_day_90(std::vector<Scenario>& all) {
  const WorkloadRow endless = spot({1, 1}, day(5));
  const WorkloadRow ending = spot({2, 2}, day(5), day(50));
  add_one_host(all, "life to day 90, endless first", "LPO", {endless, ending}, {8, 8}, 10, {0});
  add_one_host(all, "life to day 90, endless last", "LPO", {ending, endless}, {8, 8}, 10, {0});
  add_one_host(all, "after day 90", "LPO", {spot({3, 3}, day(5)), spot({2, 2}, day(5), day(99))},
               {6, 6}, 95, {1});
  all.back().workload.window = day(100);
}

}  // namespace

std::vector<Scenario> offer_scenarios() {
  std::vector<Scenario> all;
  add_contended_cases(all);
  add_score_tie(all);
  add_feasible_offer(all);
  return all;
}

std::vector<Scenario> eviction_scenarios() {
  std::vector<Scenario> all;
  add_nothing_scarce(all);
  add_least_loss(all);
  add_shrinking_spots(all);
  add_loss_ties(all);
  add_day_90(all);
  return all;
}

}  // namespace cospot::worked
