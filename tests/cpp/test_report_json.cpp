#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/report/report_json.hpp"
#include "sweep_fixtures.hpp"

namespace cospot {
namespace {

std::string json_of(const std::vector<ResultRow>& rows,
                    const ExperimentTables& tables = small_sweep_tables()) {
  ResultsDatabase results = database_of(rows, tables);
  return report_json(results);
}

/// The text from `begin` to the end of its line.
std::string line_of(const std::string& text, const std::string& begin) {
  const std::size_t at = text.find(begin);
  REQUIRE(at != std::string::npos);
  return text.substr(at, text.find('\n', at) - at);
}

/// The values of a column as they stand in the text.
std::string values_of(const std::string& json, const std::string& name) {
  const std::string line = line_of(json, "{\"name\":\"" + name + "\",\"role\"");
  const std::size_t at = line.find("\"values\":") + 9;
  return line.substr(at, line.find('}', line.find_first_of("]}", at)) - at);
}

TEST_CASE("report_json: gains, shares and losses as fractions, by hand") {
  // Runs 0 to 3: OTN 1 and 4 with SAF off, then with SAF on; their baseline is run 0.
  const std::string json = json_of(made_rows(0, 4));
  // Spot revenue 1.00, 1.25, 1.50 and 1.75 over that of run 0: 0 %, 25 %, 50 % and 75 % more.
  CHECK(values_of(json, "gain") == "[0,0.25,0.5,0.75]");
  // The same of 9 requested: 1/9, 1.25/9, 1.5/9 and 1.75/9.
  CHECK(values_of(json, "spot_share") == "[0.11111111,0.13888889,0.16666667,0.19444444]");
  // 0.25 less each: 0.75/9, 1/9, 1.25/9 and 1.5/9.
  CHECK(values_of(json, "spot_share_first_hour_free") ==
        "[0.083333333,0.11111111,0.13888889,0.16666667]");
  // 0, 1, 2 and 3 of 5,000,000 lost.
  CHECK(values_of(json, "vm_loss") == "[0,2e-07,4e-07,6e-07]");
}

TEST_CASE("report_json: counts as they are, and a column of equal values only once") {
  const std::string json = json_of(made_rows(0, 4));
  CHECK(values_of(json, "hosts") == "[100,101,102,103]");
  // 1,000,000 vcpu-microseconds and a quarter more each, over 100, 101, 102 and 103 hosts:
  // 1/3600/100, 1.25/3600/101, 1.5/3600/102 and 1.75/3600/103 vCPU-hours.
  CHECK(values_of(json, "spot_vcpu_hours_per_host") ==
        "[2.7777778e-06,3.4378438e-06,4.0849673e-06,4.7195254e-06]");
  CHECK(values_of(json, "vm_rejected") == "[0,1,2,0]");
  CHECK(values_of(json, "vm_too_large") == "{\"all\":0");
  CHECK(values_of(json, "spot_admitted") == "[400,399,398,397]");
  CHECK(values_of(json, "evictions") == "[0,1,4,9]");
  CHECK(values_of(json, "alloc_p99_ns") == "[20,21,22,23]");
}

TEST_CASE("report_json: no gain without a baseline, no share of nothing") {
  std::vector<ResultRow> rows = made_rows(1, 3);  // without run 0
  rows[0].result.spot_revenue_requested = 0;
  rows[1].result.vm_revenue_requested = 0;
  const std::string json = json_of(rows);
  CHECK(values_of(json, "gain") == "{\"all\":null");
  CHECK(values_of(json, "spot_share") == "[null,0.16666667,0.19444444]");
  CHECK(values_of(json, "vm_loss") == "[2e-07,null,6e-07]");
  std::vector<ResultRow> worthless = made_rows(0, 2);
  worthless[0].result.spot_revenue = 0;
  CHECK(values_of(json_of(worthless), "gain") == "{\"all\":null");
}

TEST_CASE("report_json: says which runs there are unless all are") {
  // 2 workloads x 2 headrooms x 2 spots x 2 SAF x 2 OTN = 32.
  CHECK(line_of(json_of(made_rows(0, 32)), "\"runs\":") == "\"runs\":null,");
  CHECK(line_of(json_of(made_rows(5, 3)), "\"runs\":") == "\"runs\":[5,6,7],");
  CHECK(line_of(json_of(made_rows(5, 3)), "\"expectedRuns\":") == "\"expectedRuns\":32,");
}

TEST_CASE("report_json: the axes in grid order, as labels and as YAML, and the configuration") {
  const std::string json = json_of(made_rows(0, 32));
  CHECK(contains(json, R"("settings":{"host":"{vcpus: 64, memory_mb: 1024}")"));
  CHECK(contains(json, R"("host":{"vcpus":64,"memory_mb":1024)"));
  CHECK(contains(json, R"([{"label":"0","yaml":"0","number":0},)"
                       R"({"label":"2.5","yaml":"2.5","number":2.5}]})"));
  CHECK(contains(json, R"([{"label":"COS","yaml":"COS","number":"COS"}]})"));
  CHECK(contains(json, R"([{"label":"off","yaml":"off","number":false},)"
                       R"({"label":"on","yaml":"on","number":true}]})"));
  CHECK(contains(json, R"("yaml":"{synthetic: azure2020, seed: 7, )"));
}

TEST_CASE("report_json: no label can end the script") {
  Sweep sweep = small_sweep();
  sweep.workloads[0].label = "</script><script>alert(1)";
  ExperimentTables tables = tables_of_sweep(sweep);
  tables.record.created_by = "cospot compare </script>.yaml";
  std::vector<ResultRow> rows = made_rows(0, 4);
  for (ResultRow& row : rows) {
    row.workload = sweep.workloads[0].label;
    row.version = "</script>";
  }
  const std::string json = json_of(rows, tables);
  CHECK_FALSE(contains(json, "<"));
  CHECK(contains(json, R"x("\u003c/script>\u003cscript>alert(1)")x"));
}

TEST_CASE("report_json: a run that is not what the sweep has there is an error") {
  const auto error_of = [](auto change) {
    std::vector<ResultRow> rows = made_rows(0, 4);
    change(rows[3]);
    return error_text<DatabaseError>([&] { (void)json_of(rows); });
  };
  CHECK(contains(error_of([](ResultRow& row) { row.otn = 2; }), "results: run 3 ("));
  CHECK(contains(error_of([](ResultRow& row) { row.headroom_percent.reset(); }), "is not what"));
  CHECK(contains(error_of([](ResultRow& row) { row.run_index = 35; }), "run 35"));
  ExperimentTables broken = small_sweep_tables();
  broken.record.configuration = "{\"workloads\":";
  CHECK(contains(error_text<DatabaseError>([&] { (void)json_of(made_rows(0, 4), broken); }),
                 "results: the configuration in it cannot be read: "));
}

TEST_CASE(
    "report_json: two databases are a further axis, the runs of the second behind the first") {
  ResultsDatabase before = database_of(made_rows(0, 2));
  ResultsDatabase after = database_of(made_rows(1, 2));
  const std::string json = report_json(before, {}, after, {});
  // Of 32 runs each: run 1 of the second is 33.
  CHECK(line_of(json, "\"runs\":") == "\"runs\":[0,1,33,34],");
  CHECK(values_of(json, "evictions") == "[0,1,1,4]");
  CHECK(contains(json, R"("axes":[{"name":"database")"));
  CHECK(contains(json, R"({"label":"before","yaml":"before","number":"before"})"));
}

TEST_CASE("report_json: a value that one of two databases lacks has a place in both") {
  Sweep sweep = small_sweep();
  sweep.otn = {1};
  std::vector<ResultRow> rows = made_rows(0, 1);
  ResultsDatabase before = database_of(rows, tables_of_sweep(sweep));
  ResultsDatabase after = database_of(made_rows(2, 2));
  // OTN 1 and 4 in the second: SAF on is 2 and 3 there as it was, behind 32 places of the first.
  CHECK(line_of(report_json(before, {}, after, {}), "\"runs\":") == "\"runs\":[0,34,35],");
}

}  // namespace
}  // namespace cospot
