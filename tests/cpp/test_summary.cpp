#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sim_harness/studies/compare/compare_summary.hpp"
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

/// Adds a value that is not there yet; gives its place.
template <class T, class Same>
std::size_t place_of(std::vector<T>& values, T value, const Same& is_same) {
  const auto found = std::ranges::find_if(values, is_same);
  const auto place = static_cast<std::size_t>(found - values.begin());
  if (found == values.end()) values.push_back(std::move(value));
  return place;
}

/// The summary of rows, whose values in their order are the axes. A policy that is called `oracle`
/// is LPO.
StudySummary summary_of(std::vector<ResultRow> rows, std::size_t expected_runs) {
  Sweep sweep = small_sweep();
  sweep.workloads.clear();
  sweep.sizes.clear();
  sweep.vm.clear();
  sweep.spot.clear();
  sweep.evictors.clear();
  sweep.saf.clear();
  sweep.otn.clear();
  std::vector<Coordinates> places;
  const auto chain = [](std::vector<ChainSpec>& all, const std::string& label) {
    return place_of(all, ChainSpec{.label = label, .weighers = {{.name = "COS"}}},
                    [&](const ChainSpec& one) { return one.label == label; });
  };
  for (const ResultRow& row : rows) {
    const bool is_oracle = row.evictor == "oracle" || row.evictor == "LPO";
    places.push_back(
        {place_of(sweep.workloads,
                  WorkloadSpec{.label = row.workload, .file = row.workload, .synthetic = {}},
                  [&](const WorkloadSpec& one) { return one.label == row.workload; }),
         place_of(sweep.sizes, Headroom{.percent = row.headroom_percent},
                  [&](const Headroom& one) { return one.percent == row.headroom_percent; }),
         chain(sweep.vm, row.vm), chain(sweep.spot, row.spot),
         place_of(sweep.evictors, EvictorSpec{row.evictor, is_oracle ? "LPO" : "FIFO", {}},
                  [&](const EvictorSpec& one) { return one.label == row.evictor; }),
         place_of(sweep.saf, row.saf, [&](bool one) { return one == row.saf; }),
         place_of(sweep.otn, row.otn, [&](const OfferRule& one) { return one == row.otn; })});
  }
  if (rows.empty()) sweep = small_sweep();
  const Grid grid = grid_of_sweep(sweep);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].run_index = grid.run_index(places[i]);
  std::ranges::sort(rows, {}, &ResultRow::run_index);
  ExperimentTables tables = tables_of_sweep(sweep);
  tables.record.run_count = expected_runs;
  ResultsDatabase results = database_of(rows, tables);
  return compare_summary(results, Timing::kOn);
}

std::string plain_text_of(const StudySummary& summary) { return summary.text.plain(); }

/// With one space where a table has several.
std::string squeezed(std::string text) {
  const auto is_further = [](char before, char c) { return before == ' ' && c == ' '; };
  text.erase(std::unique(text.begin(), text.end(), is_further), text.end());
  return text;
}

const Json& best_of(const StudySummary& summary, std::size_t size = 0) {
  return summary.json.at("best_without_vm_loss").at(size);
}

double mean_of(const Json& mean) { return mean.at("mean").get<double>(); }

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
  const StudySummary summary = summary_of(rows, 3);
  const Json& lost = summary.json.at("first_hour_free_loss");
  CHECK(lost.at("runs") == 2);
  CHECK(mean_of(lost) == Approx(0.0125));
  CHECK(lost.at("max").get<double>() == Approx(0.025));
  // Of the 100 requested each: 1 %, 0, 0.
  CHECK(summary.json.at("first_hour_free_loss_of_requested").at("runs") == 3);
  CHECK(mean_of(summary.json.at("first_hour_free_loss_of_requested")) == Approx(0.01 / 3));
  CHECK(contains(squeezed(plain_text_of(summary)),
                 "in their first hour are free 2 1.2500% 2.5000%\n"
                 "the same, of what spots requested 3 0.3333% 1.0000%\n"));
  CHECK_FALSE(contains(plain_text_of(summary_of({rows[2]}, 1)), "first hour are free"));
}

TEST_CASE("summarise: gains, worked by hand") {
  const StudySummary summary = summary_of(worked_rows(), 8);
  const Json& gain = summary.json.at("gain");
  CHECK(summary.json.at("workloads") == 2);
  CHECK(gain.at("runs") == 8);
  // (0 + 25 + 50 + 100 + 0 + 10 + 20 + 60) / 8 = 265 / 8 = 33.125 %
  CHECK(mean_of(gain) == Approx(0.33125));
  CHECK(gain.at("max").get<double>() == Approx(1.0));
  // Without the run that rejects: 205 / 7 %
  CHECK(summary.json.at("gain_without_vm_loss").at("runs") == 7);
  CHECK(mean_of(summary.json.at("gain_without_vm_loss")) == Approx(2.05 / 7));
  const Json& cells = summary.json.at("gain_by_saf_and_otn");
  REQUIRE(cells.size() == 4);
  // By SAF, then OTN: (0 + 0)/2, (25 + 10)/2, (50 + 20)/2, (100 + 60)/2 %
  const double expected[] = {0, 0.175, 0.35, 0.8};
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(cells[i].at("saf") == (i >= 2));
    CHECK(cells[i].at("otn") == (i % 2 == 0 ? 1 : 4));
    CHECK(cells[i].at("mean_gain").get<double>() == Approx(expected[i]));
  }
}

TEST_CASE("summary: says how long runs took, when they were timed") {
  std::vector<ResultRow> rows = {row_of("a", false, 1, 40), row_of("a", false, 4, 50)};
  CHECK_FALSE(contains(plain_text_of(summary_of(rows, 2)), "time of"));
  rows[0].result.wall_ms = 3;
  rows[0].result.alloc_p50_ns = 100;
  rows[0].result.alloc_p99_ns = 300;
  rows[0].result.alloc_max_ns = 2'000'000;
  rows[0].result.spot_alloc_p99_ns = 700;
  rows[1].result.wall_ms = 5;
  rows[1].result.alloc_p50_ns = 120;
  rows[1].result.alloc_p99_ns = 500;
  rows[1].result.alloc_max_ns = 1'500'000;
  // (3 + 5)/2 ms, (100 + 120)/2 ns, (300 + 500)/2 ns, the longest of both.
  const std::string text = plain_text_of(summary_of(rows, 2));
  CHECK(contains(squeezed(text),
                 "time of a run 2 4.00 ms 5.00 ms\n"
                 "time of a VM allocation (ns): median 2 110 120\n"
                 "the same, 99th percentile 2 400 500\n"
                 "the same, longest 2 1,750,000 2,000,000\n"
                 "time of a spot allocation (ns): median 2 0 0\n"
                 "the same, 99th percentile 2 350 700\n"));
}

TEST_CASE("summarise: VM loss and the best combination without it, worked by hand") {
  const StudySummary summary = summary_of(worked_rows(), 8);
  // One run of 8 lost 4 of 1000 vcpu-seconds: max 0.4 %, mean 0.05 %.
  CHECK(summary.json.at("vm_loss").at("max").get<double>() == Approx(0.004));
  CHECK(mean_of(summary.json.at("vm_loss")) == Approx(0.0005));
  CHECK(summary.json.at("runs_without_vm_loss") == 7);
  REQUIRE(summary.json.at("best_without_vm_loss").size() == 1);
  CHECK(best_of(summary).at("headroom_percent") == 2);
  CHECK(best_of(summary).at("hosts").is_null());
  const Json& best = best_of(summary).at("to_set");
  // SAF on with OTN 4 earns most but rejects VMs of b. Next: SAF on with OTN 1, (60 + 24)/2 = 42 %
  // of the request, gain (50 + 20)/2 = 35 %, 10 evictions on each workload.
  CHECK(best.at("saf") == true);
  CHECK(best.at("otn") == 1);
  CHECK(mean_of(best.at("spot_share")) == Approx(0.42));
  // 60 % and 24 % lie 18 from it; half the width is t(0.975, 1) = 12.7062 times that.
  CHECK(best.at("spot_share").at("half_width_95").get<double>() == Approx(0.18 * 12.7062));
  CHECK(mean_of(best.at("gain")) == Approx(0.35));
  CHECK(mean_of(best.at("evictions")) == Approx(10));
  // Without cooperation 40 of a and 20 of b are earned.
  CHECK(mean_of(best_of(summary).at("without_cooperation").at("spot_share")) == Approx(0.3));
  // Each on 10 hosts: (60 + 24)/2 = 42 vcpu-seconds of spots are 4.2 on a host.
  CHECK(best.at("hosts") == 10);
  CHECK(mean_of(best.at("spot_vcpu_hours_per_host")) == Approx(4.2 / 3600));
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
    const StudySummary summary = summary_of(rows_with_oracle(label), 12);
    REQUIRE(summary.json.at("best_without_vm_loss").size() == 1);
    const Json& best = best_of(summary);
    CHECK(best.at("to_set").at("evictor") == "FIFO");
    CHECK(mean_of(best.at("to_set").at("spot_share")) == Approx(0.42));
    CHECK(best.at("upper_bound").at("evictor") == label);
    CHECK(mean_of(best.at("upper_bound").at("spot_share")) == Approx(0.65));
    const std::string text = plain_text_of(summary);
    const std::size_t to_set = text.find("42.00% (0.00 to 100.00%)");
    const std::size_t bound = text.find("\n  knows lifetimes");
    CHECK(to_set < bound);
    CHECK(bound < text.find("65.00% (0.00 to 100.00%)"));
    CHECK(contains(text, "(knows lifetimes: no datacenter"));
    // The headline is what spots earn, not the gain.
    CHECK(to_set < text.find("gain"));
  }
  CHECK_FALSE(contains(plain_text_of(summary_of(worked_rows(), 8)), "bound"));
}

TEST_CASE("summarise: a policy in Python is in no registry: it can be set") {
  std::vector<ResultRow> rows = rows_with_oracle("LPO");
  for (ResultRow& row : rows) {
    if (row.evictor == "LPO") row.evictor = "python:mine.LPO";
  }
  CHECK(best_of(summary_of(rows, 12)).at("upper_bound").is_null());
}

TEST_CASE("summary: says when nothing in a sweep can be set, or only the bound loses no VM") {
  std::vector<ResultRow> rows = rows_with_oracle("LPO");
  for (ResultRow& row : rows) {
    if (row.evictor == "FIFO") row.result.vm_rejected = 1;
  }
  CHECK(contains(plain_text_of(summary_of(rows, 12)),
                 "size               evictor  saf  otn  hosts       spot revenue earned"));
  CHECK(contains(plain_text_of(summary_of(rows, 12)),
                 "  knows lifetimes  LPO      on     4     10  65.00% (0.00 to 100.00%)"));
  CHECK(contains(plain_text_of(summary_of(rows, 12)),
                 "\n2%: none: every combination that can be set rejects VMs\n"));
  std::erase_if(rows, [](const ResultRow& row) { return row.evictor == "FIFO"; });
  CHECK(contains(plain_text_of(summary_of(rows, 12)), "\n2%: nothing in this study can be set\n"));
  for (ResultRow& row : rows) row.result.vm_rejected = 1;
  CHECK(contains(plain_text_of(summary_of(rows, 12)),
                 "\n2%: every combination that knows lifetimes rejects VMs\n"));
}

TEST_CASE(
    "summary: policies in Python have all of their name in the answer, and their class in the "
    "table") {
  std::vector<ResultRow> rows = worked_rows();
  for (ResultRow& row : rows) {
    row.vm = "python:my_policies.PackByRam";
    row.evictor = "python:my_policies.BiggestFirst";
  }
  const std::string text = plain_text_of(summary_of(rows, 8));
  CHECK(contains(text,
                 "All: size 2%, vm python:my_policies.PackByRam, spot sDPD, evictor "
                 "python:my_policies.BiggestFirst\n"));
  // A row names what differs, by its class.
  rows = worked_rows();
  for (ResultRow& row : rows) {
    if (row.saf) row.evictor = "python:my_policies.BiggestFirst";
  }
  const std::string apart = plain_text_of(summary_of(rows, 8));
  CHECK(contains(apart, "with evictor python:my_policies.BiggestFirst, saf on"));
  CHECK(contains(apart, "  BiggestFirst  on "));
}

TEST_CASE("summarise: a missing or empty baseline gives no gain, and is counted") {
  std::vector<ResultRow> rows = worked_rows();
  rows[4].result.spot_revenue = 0;  // b's baseline earned nothing: its 4 runs have no gain
  rows.erase(rows.begin());         // a's baseline is gone: its 3 runs have none
  const StudySummary summary = summary_of(rows, 8);
  CHECK(summary.json.at("runs_without_baseline") == 3);
  CHECK(summary.json.at("runs_with_empty_baseline") == 4);
  CHECK(summary.json.at("gain").at("runs") == 0);
  CHECK(summary.json.at("gain").at("mean").is_null());
  CHECK(summary.json.at("gain_by_saf_and_otn").at(1).at("mean_gain").is_null());
  const std::string text = plain_text_of(summary);
  CHECK(contains(squeezed(text), "OTN 1 with SAF off is not among the results 3"));
  CHECK(contains(squeezed(text), "OTN 1 with SAF off earned nothing 4"));
  CHECK(contains(text, "1 of the study's 8 runs are missing"));
}

TEST_CASE("summarise: VMs larger than the host are counted apart") {
  std::vector<ResultRow> rows = worked_rows();
  for (ResultRow& row : rows) {
    if (row.workload != "b") continue;
    row.result.vm_too_large = 3;
    row.result.vm_rejected += 3;
  }
  const StudySummary summary = summary_of(rows, 8);
  CHECK(summary.json.at("too_large_vms") == 3);  // of the workload, not once a run
  CHECK(summary.json.at("too_large_workloads") == 1);
  CHECK(summary.json.at("runs_without_vm_loss") == 7);
  CHECK(contains(plain_text_of(summary), "VMs larger than a host: revenue lost"));
}

TEST_CASE("summarise: sizes are sorted by number, and a size may have no loss-free combination") {
  std::vector<ResultRow> rows;
  for (const double headroom : {10.0, 2.0}) {
    rows.push_back(row_of("a", false, 1, 40, headroom == 2.0 ? 1 : 0));
    rows.back().headroom_percent = headroom;
  }
  const StudySummary summary = summary_of(rows, 2);
  REQUIRE(summary.json.at("best_without_vm_loss").size() == 2);
  CHECK(best_of(summary).at("headroom_percent") == 2);
  CHECK(best_of(summary).at("to_set").is_null());
  CHECK(best_of(summary, 1).at("headroom_percent") == 10);
  CHECK_FALSE(best_of(summary, 1).at("to_set").is_null());
  CHECK(contains(plain_text_of(summary), "none: every combination rejects VMs"));
}

TEST_CASE("summary_text: aligned and at most 130 columns, whatever the labels") {
  const std::string text = plain_text_of(summary_of(worked_rows(), 8));
  CHECK(contains(text,
                 "saf  otn  mean gain\n"
                 "off    1     +0.00%\n"
                 "off    4    +17.50%\n"
                 "on     1    +35.00%\n"
                 "on     4    +80.00%\n"));
  CHECK(contains(
      text,
      "Spot revenue earned without VM loss: highest 42.00% (0.00 to 100.00%) with saf on, otn 1\n"
      "  not cooperating: 30.00% (0.00 to 100.00%) with saf off, otn 1\n"
      "All: size 2%, vm COS, spot sDPD, evictor FIFO\n"
      "Means over the workloads; +/-: 95% interval over the workloads\n"
      "The best of each size without VM loss on all 2 workloads\n"
      "size               saf  otn  hosts       spot revenue earned  spot revenue per host"
      "                gain     evictions\n"
      "2%                 on     1     10  42.00% (0.00 to 100.00%)       0.0 (0.0 to 0.0)"
      "  +35.00 +/- 190.59%  10.0 +/- 0.0\n"
      "  not cooperating  off    1     10  30.00% (0.00 to 100.00%)       0.0 (0.0 to 0.0)"
      "     +0.00 +/- 0.00%  10.0 +/- 0.0\n"));
  std::vector<ResultRow> rows;
  for (std::size_t otn = 1; otn <= 40; ++otn) {
    rows.push_back(row_of("a", true, otn, 40));
    rows.push_back(row_of("a", false, otn, 99));
  }
  for (ResultRow& row : rows) {
    row.vm = row.spot = row.evictor = std::string(200, 'x');
    row.result.evictions = 12'345'678;
  }
  std::istringstream lines(plain_text_of(summary_of(rows, 80)));
  for (std::string line; std::getline(lines, line);) {
    // What all have is told with all of its name, to copy it.
    CHECK_MESSAGE((line.size() <= 130 || line.starts_with("All: ")), line);
  }
  CHECK(plain_text_of(summary_of({}, 8)) ==
        "Policies compared: 0 runs; 8 of the study's 8 runs are missing\n");
}

}  // namespace
}  // namespace cospot
