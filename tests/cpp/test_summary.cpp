#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "sim_harness/studies/compare/summary.hpp"
#include "sweep_fixtures.hpp"

namespace cospot {
namespace {

using doctest::Approx;

/// A run at 2 % headroom that earned `spot` of 100 vcpu-seconds spots requested.
ResultRow row_of(const std::string& workload, bool saf, std::size_t otn, int spot,
                 std::uint64_t rejected = 0) {
  ResultRow row;
  row.workload = workload;
  row.headroom_percent = 2;
  row.vm = "COS";
  row.spot = "sDPD";
  row.evictor = "FIFO";
  row.saf = saf;
  row.otn = otn;
  row.result.hosts = 10;
  row.result.vm_requests = 50;
  row.result.vm_rejected = rejected;
  row.result.evictions = 10 * otn;
  row.result.vm_revenue_requested = Revenue{1'000'000'000};
  row.result.vm_revenue = Revenue{1'000'000'000} - static_cast<Revenue>(rejected) * 1'000'000;
  row.result.spot_revenue_requested = Revenue{100'000'000};
  row.result.spot_revenue = Revenue{spot} * 1'000'000;
  return row;
}

/// The summary of rows in the order of the grid. A policy that is called `oracle` is LPO.
Summary summary_of(std::vector<ResultRow> rows, std::size_t expected_runs) {
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].run_index = i;
  Sweep sweep = small_sweep();
  sweep.evictors = {{"FIFO", "FIFO", {}}, {"LPO", "LPO", {}}, {"oracle", "LPO", {}}};
  ExperimentTables tables = tables_of_sweep(sweep);
  tables.record.run_count = expected_runs;
  ResultsDatabase results = database_of(rows, tables);
  return summarise(results);
}

/// Two workloads, SAF off/on, OTN 1 and 4. Gains of a: 0, 25 %, 50 %, 100 % (40 -> 50, 60, 80);
/// of b: 0, 10 %, 20 %, 60 % (20 -> 22, 24, 32). The last run of b rejects 4 VMs.
std::vector<ResultRow> worked_rows() {
  return {row_of("a", false, 1, 40), row_of("a", false, 4, 50),  row_of("a", true, 1, 60),
          row_of("a", true, 4, 80),  row_of("b", false, 1, 20),  row_of("b", false, 4, 22),
          row_of("b", true, 1, 24),  row_of("b", true, 4, 32, 4)};
}

TEST_CASE("summarise: by how much a free first hour lowers spot revenue, worked by hand") {
  // 40 -> 39 is 2.5 %, 80 -> 80 is 0, 0 -> 0 says nothing: mean 1.25 %, max 2.5 %.
  std::vector<ResultRow> rows{row_of("a", false, 1, 40), row_of("a", true, 1, 80),
                              row_of("b", false, 1, 0)};
  for (ResultRow& row : rows) {
    row.result.spot_revenue_first_hour_free = row.result.spot_revenue;
  }
  rows[0].result.spot_revenue_first_hour_free = Revenue{39'000'000};
  const Summary summary = summary_of(rows, 3);
  CHECK(summary.first_hour_free_loss.count == 2);
  CHECK(summary.first_hour_free_loss.mean == Approx(0.0125));
  CHECK(summary.first_hour_free_loss.max == Approx(0.025));
  // Of the 100 requested each: 1 %, 0, 0.
  CHECK(summary.first_hour_free_loss_of_requested.count == 3);
  CHECK(summary.first_hour_free_loss_of_requested.mean == Approx(0.01 / 3));
  CHECK(compare_summary(summary).text.plain().find(
            "\n  lower by: mean 1.2500%, max 2.5000% of what spots earned\n"
            "            mean 0.3333%, max 1.0000% of what spots requested\n") !=
        std::string::npos);
  CHECK(compare_summary(summary_of({rows[2]}, 1)).text.plain().find("lower by") ==
        std::string::npos);
}

TEST_CASE("summarise: gains, worked by hand") {
  const Summary summary = summary_of(worked_rows(), 8);
  CHECK(summary.workloads == 2);
  CHECK(summary.gain.count == 8);
  // (0 + 25 + 50 + 100 + 0 + 10 + 20 + 60) / 8 = 265 / 8 = 33.125 %
  CHECK(summary.gain.mean == Approx(0.33125));
  CHECK(summary.gain.max == Approx(1.0));
  // Without the run that rejects: 205 / 7 %
  CHECK(summary.gain_without_loss.count == 7);
  CHECK(summary.gain_without_loss.mean == Approx(2.05 / 7));
  REQUIRE(summary.gain_by_saf_otn.size() == 4);
  // By SAF, then OTN: (0 + 0)/2, (25 + 10)/2, (50 + 20)/2, (100 + 60)/2 %
  const double expected[] = {0, 0.175, 0.35, 0.8};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(summary.gain_by_saf_otn[i].saf == (i >= 2));
    CHECK(summary.gain_by_saf_otn[i].otn == (i % 2 == 0 ? 1 : 4));
    CHECK(*summary.gain_by_saf_otn[i].mean == Approx(expected[i]));
  }
}

TEST_CASE("summary: says how long runs took, when they were timed") {
  std::vector<ResultRow> rows = {row_of("a", false, 1, 40), row_of("a", false, 4, 50)};
  CHECK(compare_summary(summary_of(rows, 2)).text.plain().find("Time") == std::string::npos);
  rows[0].result.wall_ms = 3;
  rows[0].result.alloc_p50_ns = 100;
  rows[0].result.alloc_p99_ns = 300;
  rows[0].result.alloc_max_ns = 2'000'000;
  rows[1].result.wall_ms = 5;
  rows[1].result.alloc_p50_ns = 120;
  rows[1].result.alloc_p99_ns = 500;
  rows[1].result.alloc_max_ns = 1'500'000;
  // (3 + 5)/2 ms, (100 + 120)/2 ns, (300 + 500)/2 ns, the longest of both.
  const std::string text = compare_summary(summary_of(rows, 2)).text.plain();
  CHECK(text.find("a run: mean 4.00 ms") != std::string::npos);
  CHECK(
      text.find("median 110 ns, 99th percentile 400 ns (means over the runs), longest 2.000 ms") !=
      std::string::npos);
}

TEST_CASE("summarise: VM loss and the best combination without it, worked by hand") {
  const Summary summary = summary_of(worked_rows(), 8);
  // One run of 8 lost 4 of 1000 vcpu-seconds: max 0.4 %, mean 0.05 %.
  CHECK(summary.vm_loss.max == Approx(0.004));
  CHECK(summary.vm_loss.mean == Approx(0.0005));
  CHECK(summary.runs_without_loss == 7);
  REQUIRE(summary.best.size() == 1);
  CHECK(summary.best[0].size == "2%");
  REQUIRE(summary.best[0].to_set);
  const BestCombination& best = *summary.best[0].to_set;
  // SAF on with OTN 4 earns most but rejects VMs of b. Next: SAF on with OTN 1, (60 + 24)/2 = 42 %
  // of the request, gain (50 + 20)/2 = 35 %, 10 evictions on each workload.
  CHECK(best.saf);
  CHECK(best.otn == 1);
  CHECK(best.spot_revenue_share->mean == Approx(0.42));
  // 60 % and 24 % lie 18 from it; half the width is t(0.975, 1) = 12.7062 times that.
  CHECK(*best.spot_revenue_share->half_width == Approx(0.18 * 12.7062));
  CHECK(best.gain->mean == Approx(0.35));
  CHECK(best.evictions->mean == Approx(10));
  // Without cooperation 40 of a and 20 of b are earned.
  REQUIRE(summary.best[0].without_cooperation);
  CHECK(summary.best[0].without_cooperation->spot_revenue_share->mean == Approx(0.3));
  // Each on 10 hosts: (60 + 24)/2 = 42 vcpu-seconds of spots are 4.2 on a host.
  CHECK(best.hosts == Approx(10));
  CHECK(best.spot_vcpu_hours_per_host->mean == Approx(4.2 / 3600));
}

/// The worked rows, and LPO's: with OTN 4 and SAF on it earns 90 and 40, (90 + 40)/2 = 65 %, and
/// rejects nothing. Under another label only the configuration of the sweep tells what it is.
std::vector<ResultRow> rows_with_oracle(const std::string& label) {
  std::vector<ResultRow> rows = worked_rows();
  for (const std::string workload : {"a", "b"}) {
    for (const std::size_t otn : {std::size_t{1}, std::size_t{4}}) {
      const int earned = otn == 1 ? 30 : workload == "a" ? 90 : 40;
      rows.push_back(row_of(workload, otn == 4, otn, earned));
      rows.back().evictor = label;
    }
  }
  return rows;
}

TEST_CASE("summarise: what knows lifetimes stands beside the best that can be set") {
  for (const std::string label : {"LPO", "oracle"}) {
    const Summary summary = summary_of(rows_with_oracle(label), 12);
    CHECK(summary.any_to_set);
    CHECK(summary.any_bound);
    REQUIRE(summary.best.size() == 1);
    REQUIRE(summary.best[0].to_set);
    REQUIRE(summary.best[0].bound);
    CHECK(summary.best[0].to_set->evictor.label == "FIFO");
    CHECK(summary.best[0].to_set->spot_revenue_share->mean == Approx(0.42));
    CHECK(summary.best[0].bound->evictor.label == label);
    CHECK(summary.best[0].bound->spot_revenue_share->mean == Approx(0.65));
    const std::string text = compare_summary(summary).text.plain();
    const std::size_t to_set = text.find("42.00% (0.00 to 100.00%)");
    const std::size_t bound = text.find("\n    knows lifetimes");
    CHECK(to_set < bound);
    CHECK(bound < text.find("65.00% (0.00 to 100.00%)"));
    CHECK(contains(text, "(knows lifetimes: no datacenter"));
    // The headline is what spots earn, not the gain.
    CHECK(to_set < text.find("Gain"));
  }
  CHECK_FALSE(contains(compare_summary(summary_of(worked_rows(), 8)).text.plain(), "bound"));
}

TEST_CASE("summarise: a policy in Python is in no registry: it can be set") {
  std::vector<ResultRow> rows = rows_with_oracle("LPO");
  for (ResultRow& row : rows) row.evictor = "python:mine.LPO";
  CHECK_FALSE(summary_of(rows, 12).best.at(0).bound);
}

TEST_CASE("summary: says when nothing in a sweep can be set, or only the bound loses no VM") {
  std::vector<ResultRow> rows = rows_with_oracle("LPO");
  for (ResultRow& row : rows) {
    if (row.evictor == "FIFO") row.result.vm_rejected = 1;
  }
  CHECK(contains(
      compare_summary(summary_of(rows, 12)).text.plain(),
      "  size               VM   spot  evictor  SAF  OTN  hosts                    earned"));
  CHECK(contains(
      compare_summary(summary_of(rows, 12)).text.plain(),
      "    knows lifetimes  COS  sDPD  LPO      on     4     10  65.00% (0.00 to 100.00%)"));
  CHECK(contains(compare_summary(summary_of(rows, 12)).text.plain(),
                 "\n  2%: none: every combination that can be set rejects VMs\n"));
  std::erase_if(rows, [](const ResultRow& row) { return row.evictor == "FIFO"; });
  CHECK(contains(compare_summary(summary_of(rows, 12)).text.plain(),
                 "\n  2%: nothing in this study can be set\n"));
  for (ResultRow& row : rows) row.result.vm_rejected = 1;
  CHECK(contains(compare_summary(summary_of(rows, 12)).text.plain(),
                 "  2%: every combination that knows lifetimes rejects VMs\n"));
}

TEST_CASE(
    "summary: policies in Python have all of their name in the answer, and their class below") {
  std::vector<ResultRow> rows = worked_rows();
  for (ResultRow& row : rows) {
    row.vm = "python:my_policies.PackByRam";
    row.evictor = "python:my_policies.BiggestFirst";
  }
  const std::string text = compare_summary(summary_of(rows, 8)).text.plain();
  CHECK(contains(text, "with VM python:my_policies.PackByRam, spot"));
  CHECK(contains(text, "evictor python:my_policies.BiggestFirst, SAF"));
  CHECK(contains(text, " PackByRam "));
  CHECK(contains(text, " BiggestFirst "));
  CHECK_FALSE(contains(text, "~"));
}

TEST_CASE("summarise: a missing or empty baseline gives no gain, and is counted") {
  std::vector<ResultRow> rows = worked_rows();
  rows[4].result.spot_revenue = 0;  // b's baseline earned nothing: its 4 runs have no gain
  rows.erase(rows.begin());         // a's baseline is gone: its 3 runs have none
  const Summary summary = summary_of(rows, 8);
  CHECK(summary.without_baseline == 3);
  CHECK(summary.with_empty_baseline == 4);
  CHECK(summary.gain.count == 0);
  CHECK_FALSE(summary.gain_by_saf_otn.at(1).mean);
  const std::string text = compare_summary(summary).text.plain();
  CHECK(contains(text, "3 runs have no gain: the run with OTN 1 and SAF off is not among"));
  CHECK(contains(text, "4 runs have no gain: the run with OTN 1 and SAF off earned nothing"));
  CHECK(contains(text, "1 of the study's 8 runs are missing"));
}

TEST_CASE("summarise: VMs larger than the host are counted apart") {
  std::vector<ResultRow> rows = worked_rows();
  for (ResultRow& row : rows) {
    if (row.workload != "b") continue;
    row.result.vm_too_large = 3;
    row.result.vm_rejected += 3;
  }
  const Summary summary = summary_of(rows, 8);
  CHECK(summary.too_large_vms == 3);  // of the workload, not once a run
  CHECK(summary.too_large_workloads == 1);
  CHECK(summary.runs_without_loss == 7);
  CHECK(contains(compare_summary(summary).text.plain(), "VMs larger than the host count"));
}

TEST_CASE("summarise: sizes are sorted by number, and a size may have no loss-free combination") {
  std::vector<ResultRow> rows;
  for (const double headroom : {10.0, 2.0}) {
    rows.push_back(row_of("a", false, 1, 40, headroom == 2.0 ? 1 : 0));
    rows.back().headroom_percent = headroom;
  }
  const Summary summary = summary_of(rows, 2);
  REQUIRE(summary.best.size() == 2);
  CHECK(summary.best[0].size == "2%");
  CHECK_FALSE(summary.best[0].to_set);
  CHECK(summary.best[1].size == "10%");
  CHECK(contains(compare_summary(summary).text.plain(), "none: every combination rejects VMs"));
}

TEST_CASE("summary_text: aligned and at most 130 columns, whatever the labels") {
  const std::string text = compare_summary(summary_of(worked_rows(), 8)).text.plain();
  CHECK(contains(text,
                 "  OTN  SAF off   SAF on\n"
                 "    1   +0.00%  +35.00%\n"
                 "    4  +17.50%  +80.00%\n"));
  CHECK(
      contains(text,
               "  size               VM   spot  evictor  SAF  OTN  hosts                    earned"
               "        per host                gain     evictions\n"
               "  2%                 COS  sDPD  FIFO     on     1     10  42.00% (0.00 to 100.00%)"
               "  0.0 (0 to 0.0)  +35.00 +/- 190.59%  10.0 +/- 0.0\n"
               "    not cooperating  COS  sDPD  FIFO     off    1     10  30.00% (0.00 to 100.00%)"
               "  0.0 (0 to 0.0)     +0.00 +/- 0.00%  10.0 +/- 0.0\n"));
  CHECK(contains(text,
                 "  The best without cooperation (OTN 1, SAF off), with VM COS, spot sDPD, evictor "
                 "FIFO: 30.00% (0.00 to 100.00%)\n"));
  std::vector<ResultRow> rows;
  for (std::size_t otn = 1; otn <= 40; ++otn) {
    rows.push_back(row_of("a", true, otn, 40));
    rows.push_back(row_of("a", false, otn, 99));
  }
  for (ResultRow& row : rows) {
    row.vm = row.spot = row.evictor = std::string(200, 'x');
    row.result.evictions = 12'345'678;
  }
  std::istringstream lines(compare_summary(summary_of(rows, 80)).text.plain());
  for (std::string line; std::getline(lines, line);) {
    // The answer has all of a name, to copy it.
    CHECK_MESSAGE((line.size() <= 130 || line.starts_with("  with VM xxx")), line);
  }
  CHECK(compare_summary(summary_of({}, 8)).text.plain() ==
        "0 runs of 0 workloads; 8 of the study's 8 runs are missing\n");
}

}  // namespace
}  // namespace cospot
