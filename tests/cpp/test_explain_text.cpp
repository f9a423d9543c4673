#include <doctest/doctest.h>

#include "sim_harness/provider/explain/explain_text.hpp"
#include "tests/cpp/explain_fixtures.hpp"

namespace cospot {
namespace {

using worked::day;
using worked::spot;
using worked::vm;

std::string sentence(const std::vector<WorkloadRow>& rows, const reference::Settings& settings) {
  const Workload workload = worked::workload_of(rows);
  const auto last = static_cast<InstanceIndex>(rows.size() - 1);
  return explain_sentence(explain(workload, run_settings_of(settings), last));
}

TEST_CASE("explanation_text: UTIL, FIFO, two hosts offered") {
  // UTIL: 4, 10, 10 vcpus left, so host-0 before host-1 before host-2. On host-0 (4,6) are missing:
  // i1 and i2; on host-1 (1,2): i3. FIFO scores 2 and 1.
  const Workload workload = contended();
  const RunSettings settings = run_settings_of({{10, 10}, 3, "UTIL", "FirstFit", "FIFO", false, 2});
  CHECK(explanation_text(explain(workload, settings, 4), workload) ==
        R"(VM 'i4' asks for 4 vCPUs, 6 MiB, 0 GB on day 5.000 (432000 s)
VM chain UTIL, SAF off; OTN 2; evictor FIFO
3 hosts, 3 feasible

host    VMs  spots  free vCPUs  free MiB  VmFeasibility  UTIL  rank  offer  evicts  score
host-0    1      2       4 (0)     8 (0)           pass    -4     1      1       2      2
host-1    0      1      10 (3)    10 (4)           pass   -10     2      2       1      1
host-2    0      0     10 (10)   10 (10)           pass   -10     3      -       -      -
free: beside VMs (beside VMs and spots)

host    spot to go  vCPUs  MiB  age, days
host-0  i1              2    4      1.000
host-0  i2              2    4      1.000
host-1  i3              7    6      1.000

host-1 wins: least score 1 of 2 offered; 1 spot goes
)");
}

TEST_CASE("explanation_text: COS, SAF and LPO, all hosts offered") {
  // COS of (4,6), ignoring spots: host-0 (16+48)/(64+|4x8-6x4|) = 64/72; host-1 and host-2
  // (40+60)/(100+|40-60|) = 100/120. SAF puts host-2 first, the only one that needs no eviction;
  // then host-0, which holds a VM. LPO: 2x1 + 2x1 = 4 vcpu-days = 345600 vcpu-seconds on host-0,
  // 7 = 604800 on host-1.
  const Workload workload = contended();
  const RunSettings settings = run_settings_of({{10, 10}, 3, "COS", "FirstFit", "LPO", true, 3});
  CHECK(explanation_text(explain(workload, settings, 4), workload) ==
        R"(VM 'i4' asks for 4 vCPUs, 6 MiB, 0 GB on day 5.000 (432000 s)
VM chain COS, SAF on; OTN 3; evictor LPO
3 hosts, 3 feasible

host    VMs  spots  free vCPUs  free MiB  VmFeasibility  SpotAvoiding          COS  tier  rank  offer  evicts   score
host-2    0      0     10 (10)   10 (10)           pass          pass  0.833333333    10     1      1       0       0
host-0    1      2       4 (0)     8 (0)           pass            no  0.888888889    01     2      2       2  345600
host-1    0      1      10 (3)    10 (4)           pass            no  0.833333333    00     3      3       1  604800
free: beside VMs (beside VMs and spots)
tier: passes SpotAvoiding, then holds a VM; 1 = yes, ranks before any weight

host    spot to go  vCPUs  MiB  age, days  remaining, days
host-0  i1              2    4      1.000            1.000
host-0  i2              2    4      1.000            1.000
host-1  i3              7    6      1.000            1.000

host-2 wins: first in the offer and needs no eviction
)");
}

TEST_CASE("explanation_text: a spot that no host can take") {
  // host-0 holds VM (6,2) and host-1 VM (2,9): free (4,8) and (8,1).
  const Workload workload = worked::workload_of({vm({6, 2}), vm({2, 9}), spot({5, 3}, day(1))});
  const RunSettings settings = run_settings_of({{10, 10}, 2, "UTIL", "sUTIL", "FIFO", false, 1});
  CHECK(explanation_text(explain(workload, settings, 2), workload) ==
        R"(spot 'i2' asks for 5 vCPUs, 3 MiB, 0 GB on day 1.000 (86400 s)
spot chain sUTIL: the first-ranked host gets the spot
2 hosts, 0 feasible
  1 dropped by SpotFeasibility: not enough memory
  1 dropped by SpotFeasibility: not enough vCPUs

host    VMs  spots  free vCPUs  free MiB  SpotFeasibility  sUTIL  rank
host-0    1      0       4 (4)     8 (8)               no      -     -
host-1    1      0       8 (8)     1 (1)               no      -     -
free: beside VMs (beside VMs and spots)

rejected: no host has 5 vCPUs and 3 MiB free beside its VMs and spots; 1 would have the vCPUs, 1 the memory
)");
}

TEST_CASE("explanation_text: relative sizes are units, and large ones have separators") {
  const Workload workload = worked::workload_of({vm({6'000, 2}), spot({5'000, 3'000}, day(1))});
  const RunSettings settings =
      run_settings_of({{10'000, 20'000}, 1, "UTIL", "sUTIL", "FIFO", false, 1});
  const Explanation told = explain(workload, settings, 1);
  CHECK(explanation_text(told, workload, ExplainDetail::kBest, {.is_relative = true}) ==
        R"(spot 'i1' asks for 5,000 units, 3,000 units of memory, 0 GB on day 1.000 (86400 s)
spot chain sUTIL: the first-ranked host gets the spot
1 hosts, 0 feasible
  1 dropped by SpotFeasibility: not enough units

host    VMs  spots     free units  free units of memory  SpotFeasibility  sUTIL  rank
host-0    1      0  4,000 (4,000)       19,998 (19,998)               no      -     -
free: beside VMs (beside VMs and spots)

rejected: no host has 5,000 units and 3,000 units of memory free beside its VMs and spots; 0 would have the units, 1 the memory
)");
  // Each of the file's is half a vCPU.
  const std::string halves = explanation_text(told, workload, ExplainDetail::kBest, {.vcpus = 0.5});
  CHECK(halves.starts_with("spot 'i1' asks for 2,500 vCPUs, 3,000 MiB, 0 GB on day"));
}

TEST_CASE("explain_sentence: says why a VM gets its host") {
  const std::vector<WorkloadRow> rows = contended().rows;
  CHECK(sentence(rows, {{10, 10}, 3, "UTIL", "FirstFit", "FIFO", false, 1}) ==
        "host-0 wins: the only host offered; 2 spots go");
  CHECK(sentence(rows, {{10, 10}, 3, "UTIL", "FirstFit", "FIFO", false, 3}) ==
        "host-2 wins: place 3 of 3 offered, the best-ranked that needs no eviction");
  // LPO: 345600 against 604800, as above.
  CHECK(sentence(rows, {{10, 10}, 3, "UTIL", "FirstFit", "LPO", false, 2}) ==
        "host-0 wins: least score 345600 of 2 offered; 2 spots go");
  // Two hosts with one spot each: both score 1.
  CHECK(sentence({spot({6, 6}), spot({6, 6}), vm({6, 6}, day(1))},
                 {{10, 10}, 2, "UTIL", "FirstFit", "FIFO", false, 2}) ==
        "host-0 wins: least score 1 of 2 offered; 1 spot goes; tie with host-1 went to the better "
        "rank");
  // Empty hosts weigh the same.
  CHECK(sentence({vm({1, 1})}, {{10, 10}, 2, "UTIL", "sUTIL", "FIFO", false, 1}) ==
        "host-0 wins: first in the offer and needs no eviction; host-1 ranks the same, the lowest "
        "index is first");
  CHECK(sentence({vm({1, 1})}, {{10, 10}, 7, "UTIL", "sUTIL", "FIFO", false, 1}) ==
        "host-0 wins: first in the offer and needs no eviction; host-1, host-2, host-3 and 3 more "
        "rank the same, the lowest index is first");
}

TEST_CASE("explain_sentence: says why a spot gets its host, or a request none") {
  CHECK(sentence({vm({6, 2}), spot({4, 1}, day(1))},
                 {{10, 10}, 2, "UTIL", "sUTIL", "FIFO", false, 1}) ==
        "host-0 wins: first of 2 hosts with room beside VMs and spots");
  CHECK(sentence({vm({6, 2}), spot({4, 1}, day(1))},
                 {{10, 10}, 1, "UTIL", "sUTIL", "FIFO", false, 1}) ==
        "host-0 wins: first of 1 host with room beside VMs and spots");
  CHECK(sentence({vm({11, 12})}, {{10, 10}, 2, "UTIL", "sUTIL", "FIFO", false, 1}) ==
        "rejected: larger than an empty host: it asks for 11 vCPUs, where no host has more than 10 "
        "and 12 MiB, where no host has more than 10");
  // Free beside VMs: (4,8) and (8,1). The spot on host-0 does not count.
  CHECK(sentence({vm({6, 2}), vm({2, 9}), spot({4, 1}), vm({4, 9}, day(1))},
                 {{10, 10}, 2, "UTIL", "sUTIL", "FIFO", false, 1}) ==
        "rejected: no host has 4 vCPUs and 9 MiB free beside its VMs; 2 would have the "
        "vCPUs, 0 the memory");
}

TEST_CASE("explanation_text: of a large datacenter shows the best hosts and counts the others") {
  // 100 VMs (6,6) fill as many hosts; 60 empty ones remain for (5,5).
  std::vector<WorkloadRow> rows(100, vm({6, 6}));
  rows.push_back(vm({5, 5}, day(1)));
  const Workload workload = worked::workload_of(rows);
  const RunSettings settings = run_settings_of({{10, 10}, 160, "UTIL", "sUTIL", "FIFO", false, 1});
  const Explanation explanation = explain(workload, settings, 100);
  const auto lines = [&](ExplainDetail detail) {
    const std::string text = explanation_text(explanation, workload, detail);
    std::size_t count = 0;
    for (std::size_t at = text.find("\nhost-"); at != std::string::npos;
         at = text.find("\nhost-", at + 1)) {
      ++count;
    }
    return count - 1;  // the last one is the sentence
  };
  CHECK(lines(ExplainDetail::kBest) == 40);
  CHECK(lines(ExplainDetail::kAllHosts) == 160);
  const std::string text = explanation_text(explanation, workload);
  CHECK(text.find("100 dropped by VmFeasibility: not enough vCPUs and memory\n") !=
        std::string::npos);
  CHECK(text.find("... and 20 more feasible hosts; --explain-all shows all\n") !=
        std::string::npos);
}

}  // namespace
}  // namespace cospot
