#include "tests/cpp/worked_scenarios.hpp"

// Hosts are (10, 10), free at first, called h0, h1, h2; rows r0, r1, ... in file order.
//   UTIL  used vcpus: all hosts have 10, so the fewest left are the most used.
//   COS   dot / (dot + |cross|) of request (c, m) and free (C, M): dot = cC + mM, cross = cM - mC.
//   DPD   |d| - |d + delta| with d = 10 (used vcpus - used memory), delta = 10 (c - m).

namespace cospot::worked {
namespace {

const ResourceVector kHost{10, 10};

/// Five VMs on three hosts; every policy ends up elsewhere.
///
/// r0 (4,8): all hosts idle and alike -> h0.  r1 (7,8): 4 + 7 > 10 on h0 -> h1 before h2.
/// r2 (1,3): memory 8 + 3 > 10 on h0 and h1 -> h2. Now for every policy:
///   h0 used (4,8) free (6,2) d -40;  h1 used (7,8) free (3,2) d -10;  h2 used (1,3) free (9,7) d
///   -20.
/// r3 (2,2), delta 0:
///   UTIL  4, 7, 1 -> h1.
///   COS   h0 (12+4)/(16+|4-12|) = 16/24 = .67; h1 (6+4)/(10+|4-6|) = 10/12 = .83;
///         h2 (18+14)/(32+|14-18|) = 32/36 = .89 -> h2.
///   DPD   0 on all, an exact tie -> h0.   FirstFit -> h0.
/// r4 (3,1), delta +20:
///   UTIL  h0 4, h1 full (9,10), h2 1 -> h0.
///   COS   h0 (18+2)/(20+|6-6|) = 1 (parallel); h1 (9+2)/(11+|6-3|) = 11/14;
///         h2 free (7,5): (21+5)/(26+|15-7|) = 26/34 -> h0.
///   DPD   h0 (6,10) has no memory; h1 10-|-10+20| = 0; h2 20-|-20+20| = 20 -> h2.
///   FirstFit  h0 (6,10) has no memory -> h1.
void add_vm_policies(std::vector<Scenario>& all) {
  const Workload workload =
      workload_of({vm({4, 8}), vm({7, 8}), vm({1, 3}), vm({2, 2}), vm({3, 1})});
  const auto add = [&](const std::string& policy, std::vector<HostIndex> placements) {
    all.push_back({"five VMs, " + policy,
                   workload,
                   {.host = kHost, .hosts = 3, .vm = policy},
                   {std::move(placements), {}}});
  };
  add("UTIL", {0, 1, 2, 1, 0});
  add("COS", {0, 1, 2, 2, 0});
  add("DPD", {0, 1, 2, 0, 2});
  add("FirstFit", {0, 1, 2, 0, 1});
}

/// One VM and four spots on three hosts.
///
/// r0 VM (5,7) -> h0.  r1 spot (2,5): memory 7 + 5 > 10 on h0; h1 and h2 are alike -> h1. Now
///   h0 VM (5,7) free (5,3) d -20;  h1 spot (2,5) free (8,5) d -30;  h2 idle, free (10,10) d 0.
/// r2 spot (1,1), delta 0:
///   COS values: h0 8/(8+|3-5|) = 8/10 = .8; h1 13/(13+|5-8|) = 13/16 = .8125; h2 20/20 = 1.
///   sUTIL 5, 2, 0 -> h0.  sCOS non-idle h0, h1 -> h1.  sDPD non-idle h0, h1 tie at 0 -> h0.
///   vma: h1, h2 have no VM.  vmaUTIL 2, 0 -> h1.  vmaCOS -> h2.  vmaDPD tie at 0 -> h1.
/// r3 spot (4,1), delta +30:
///   sUTIL  h0 used (6,8), free (4,2) fits; 6, 2, 0 -> h0.
///   sDPD   h0 d -20: 20-|-20+30| = 10; h1 d -30: 30-0 = 30 -> h1.
///   sCOS   h0 free (5,3): 23/(23+|12-5|) = 23/30 = .767; h1 used (3,6), free (7,4):
///          32/(32+|16-7|) = 32/41 = .780 -> h1.
///   vmaUTIL  h1 used 3, h2 0 -> h1.  vmaDPD  h1 used (3,6) d -30: 30; h2 0-30 = -30 -> h1.
///   vmaCOS  h1 free (8,5): 37/(37+|20-8|) = 37/49 = .755; h2 free (9,9): 45/(45+|36-9|) = .625
///           -> h1.
/// r4 spot (3,2), delta +10:
///   sUTIL  h0 full (10,9); h1 used 2, h2 0 -> h1.
///   sDPD   h0 used (6,8), free (4,2), d -20: 20-10 = 10; h1 used (6,6) d 0: -10 -> h0.
///   sCOS   h0 free (5,3): 21/(21+|9-10|) = 21/22; h1 used (7,7), free (3,3): 15/(15+|9-6|) =
///          15/18; h2 idle, in the lower tier -> h0.
///   vmaUTIL  h1 used (7,7), free (3,3), before h2 -> h1.
///   vmaCOS  h1 used (6,6), free (4,4): 20/(20+|12-8|) = 20/24; h2 free (9,9): 45/(45+|27-18|) =
///           45/54: both are 5/6, an exact tie of parallel vectors -> h1.
///   vmaDPD  h1 used (7,7) d 0: -10; h2 -10; tie -> h1.
void add_spot_policies(std::vector<Scenario>& all) {
  const Workload workload =
      workload_of({vm({5, 7}), spot({2, 5}), spot({1, 1}), spot({4, 1}), spot({3, 2})});
  const auto add = [&](const std::string& policy, std::vector<HostIndex> placements) {
    all.push_back({"a VM and four spots, " + policy,
                   workload,
                   {.host = kHost, .hosts = 3, .spot = policy},
                   {std::move(placements), {}}});
  };
  add("sUTIL", {0, 1, 0, 0, 1});
  add("sCOS", {0, 1, 1, 1, 0});
  add("sDPD", {0, 1, 0, 1, 0});
  add("vmaUTIL", {0, 1, 1, 1, 1});
  add("vmaCOS", {0, 1, 2, 1, 1});
  add("vmaDPD", {0, 1, 1, 1, 1});
}

/// Spots on two hosts, a VM on the third; SAF on.
///
/// r0 spot (2,6) -> h0.  r1 spot (3,6): memory 12 > 10 on h0 -> h1.  r2 VM (5,7): beside the
/// spots, h0 has (8,4) and h1 (7,4): too little memory; SAF puts h2 first -> h2. Now
///   h0 spot (2,6) free (8,4) d -40;  h1 spot (3,6) free (7,4) d -30;  h2 VM (5,7) free (5,3) d
///   -20.
/// r3 spot (5,1), delta +40:
///   sUTIL 2, 3, 5 -> h2.  vmaUTIL (no VM: h0, h1) 2, 3 -> h1.
///   COS  h0 44/(44+|20-8|) = 44/56 = .786; h1 39/(39+|20-7|) = 39/52 = .75;
///        h2 28/(28+|15-5|) = 28/38 = .737 -> h0 for sCOS and vmaCOS.
///   DPD  h0 40-0 = 40; h1 30-10 = 20; h2 20-20 = 0 -> h0 for sDPD and vmaDPD.
/// r4 spot (3,3), delta 0:
///   sUTIL  h2 full (10,8); h0 2, h1 3 -> h1.
///   sCOS   h0 used (7,7), free (3,3): 1; h1 33/(33+|12-21|) < 1; h2 24/(24+|9-15|) < 1 -> h0.
///   sDPD   0 everywhere -> h0.   vmaCOS -> h0 and vmaDPD -> h0, as sCOS and sDPD.
///   vmaUTIL  h1 used (8,7), free (2,3): too few vcpus; h2 has a VM, so h0 is first although it
///            uses 2 vcpus and h2 uses 5 -> h0.
void add_vm_avoiding_policies(std::vector<Scenario>& all) {
  const Workload workload =
      workload_of({spot({2, 6}), spot({3, 6}), vm({5, 7}), spot({5, 1}), spot({3, 3})});
  const auto add = [&](const std::string& policy, std::vector<HostIndex> placements) {
    all.push_back({"spots around a VM, " + policy,
                   workload,
                   {.host = kHost, .hosts = 3, .spot = policy, .saf = true},
                   {std::move(placements), {}}});
  };
  add("sUTIL", {0, 1, 2, 2, 1});
  add("sCOS", {0, 1, 2, 0, 0});
  add("sDPD", {0, 1, 2, 0, 0});
  add("vmaUTIL", {0, 1, 2, 1, 0});
  add("vmaCOS", {0, 1, 2, 0, 0});
  add("vmaDPD", {0, 1, 2, 0, 0});
}

/// The tier beats the weight, and the index: h0 is idle again when r2 comes.
///
/// r0 VM (9,9) -> h0 until day 1.  r1 VM (6,2): 9 + 6 > 10 -> h1.  r2 VM (2,1) on day 2:
///   COS  idle h0 30/(30+10) = .75; h1 free (4,8): 16/(16+|16-4|) = .57, but it holds a VM -> h1.
///   DPD  idle h0 0-10 = -10; h1 d +40: 40-50 = -10: a tie h0 would win; h1 holds a VM -> h1.
///   UTIL 0, 6 -> h1.   FirstFit -> h0.
void add_vm_tiers(std::vector<Scenario>& all) {
  const Workload workload =
      workload_of({vm({9, 9}, day(0), day(1)), vm({6, 2}), vm({2, 1}, day(2))});
  const auto add = [&](const std::string& policy, HostIndex last) {
    all.push_back({"a host with a VM before an idle one, " + policy,
                   workload,
                   {.host = kHost, .hosts = 2, .vm = policy},
                   {{0, 1, last}, {}}});
  };
  add("UTIL", 1);
  add("COS", 1);
  add("DPD", 1);
  add("FirstFit", 0);
}

/// Spots count for the spot policies' tier, not for the VM policies'; vma has no such tier.
///
/// r0 VM (9,9) -> h0 until day 1.  r1 spot (6,2) -> h1.  On day 2 h0 is idle, h1 uses (6,2).
/// r2 spot (2,1): idle h0 COS 30/40 = .75, DPD -10; h1 COS 16/28 = .57, DPD 40-50 = -10.
///   sCOS, sDPD: h1 holds a spot -> h1.  sUTIL, vmaUTIL: 0 against 6 -> h1.
///   vmaCOS: neither holds a VM, .75 wins -> h0.  vmaDPD: a tie -> h0.   FirstFit -> h0.
/// r3 VM (2,1) on day 3: ignoring spots both hosts are idle and alike for UTIL, COS and DPD -> h0
///   (it fits beside r2 there: (4,2)).
void add_spot_tiers(std::vector<Scenario>& all) {
  const Workload workload = workload_of(
      {vm({9, 9}, day(0), day(1)), spot({6, 2}), spot({2, 1}, day(2)), vm({2, 1}, day(3))});
  const auto add = [&](const std::string& vm_policy, const std::string& spot_policy,
                       HostIndex of_spot) {
    all.push_back({"a host with a spot before an idle one, " + vm_policy + " " + spot_policy,
                   workload,
                   {.host = kHost, .hosts = 2, .vm = vm_policy, .spot = spot_policy},
                   {{0, 1, of_spot, 0}, {}}});
  };
  add("UTIL", "sUTIL", 1);
  add("COS", "sCOS", 1);
  add("DPD", "sDPD", 1);
  add("UTIL", "vmaUTIL", 1);
  add("COS", "vmaCOS", 0);
  add("DPD", "vmaDPD", 0);
  add("COS", "FirstFit", 0);
}

/// r0 (9,8) -> h0, free (1,2).  r1 (7,4): 16 vcpus > 10 -> h1, free (3,6).
/// r2 (1,1): h0 3/(3+|2-1|) = 3/4; h1 9/(9+|6-3|) = 9/12: parallel, so an exact tie -> h0 (a
/// cosine with square roots may round the two apart); idle h2 has 1, but comes after.
/// r3 (1,1): h0 has no vcpu left -> h1.
void add_parallel_tie(std::vector<Scenario>& all) {
  all.push_back({"parallel residuals tie, COS",
                 workload_of({vm({9, 8}), vm({7, 4}), vm({1, 1}), vm({1, 1})}),
                 {.host = kHost, .hosts = 3, .vm = "COS"},
                 {{0, 1, 0, 1}, {}}});
}

/// Hosts of (8, 16): DPD must weigh vcpus and memory by the capacity, d = 16 vcpus - 8 memory.
///
/// r0 (4,10) -> h0: d 64-80 = -16.  r1 (5,4): 9 vcpus > 8 -> h1: d 80-32 = +48.
/// r2 (1,2): delta 16-16 = 0 (it lies on the diagonal): 0 on both -> h0: (5,12), d -16. (Without
///   the capacity, delta = -1 and h1, at d +1, would win.)
/// r3 (1,3): delta 16-24 = -8.  h0 16-|-24| = -8; h1 48-|40| = 8 -> h1: (6,7), d +40.
/// r4 (2,1): delta 32-8 = +24.  h0 16-|8| = 8; h1 40-|64| = -24 -> h0.
void add_unequal_host(std::vector<Scenario>& all) {
  all.push_back({"a host of (8, 16), DPD",
                 workload_of({vm({4, 10}), vm({5, 4}), vm({1, 2}), vm({1, 3}), vm({2, 1})}),
                 {.host = {8, 16}, .hosts = 2, .vm = "DPD"},
                 {{0, 1, 0, 1, 0}, {}}});
}

/// r0 (6,6,9) -> h0.  r1 (1,1,2): UTIL prefers h0, but 9 + 2 > 10 GB of disk -> h1.
/// r2 (1,1,1): h0 has just 1 GB left -> h0.
void add_disk(std::vector<Scenario>& all) {
  all.push_back({"disk decides what fits, not the rank",
                 workload_of({vm({6, 6, 9}), vm({1, 1, 2}), vm({1, 1, 1})}),
                 {.host = {10, 10, 10}, .hosts = 2},
                 {{0, 1, 0}, {}}});
}

}  // namespace

std::vector<Scenario> ranking_scenarios() {
  std::vector<Scenario> all;
  add_vm_policies(all);
  add_spot_policies(all);
  add_vm_avoiding_policies(all);
  add_vm_tiers(all);
  add_spot_tiers(all);
  add_parallel_tie(all);
  add_unequal_host(all);
  add_disk(all);
  return all;
}

}  // namespace cospot::worked
