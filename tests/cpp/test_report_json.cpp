#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/files/json_text.hpp"
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

TEST_CASE("report_json: gains, shares and losses in percent, by hand") {
  // Runs 0 to 3: OTN 1 and 4 with SAF off, then with SAF on; their baseline is run 0.
  const std::string json = json_of(made_rows(0, 4));
  // Spot revenue 1.00, 1.25, 1.50 and 1.75 over that of run 0: 0 %, 25 %, 50 % and 75 % more.
  CHECK(line_of(json, "\"gain\":") == "\"gain\":[0,25,50,75],");
  // The same of 9 requested: 1/9, 1.25/9, 1.5/9 and 1.75/9.
  CHECK(line_of(json, "\"share\":") == "\"share\":[11.1111,13.8889,16.6667,19.4444],");
  // 0.25 less each: 0.75/9, 1/9, 1.25/9 and 1.5/9.
  CHECK(line_of(json, "\"shareFirstHourFree\":") ==
        "\"shareFirstHourFree\":[8.33333,11.1111,13.8889,16.6667],");
  // 0, 1, 2 and 3 of 5,000,000 lost.
  CHECK(line_of(json, "\"loss\":") == "\"loss\":[0,2e-05,4e-05,6e-05],");
}

TEST_CASE("report_json: counts as they are, and a column of equal values only once") {
  const std::string json = json_of(made_rows(0, 4));
  CHECK(line_of(json, "\"hosts\":") == "\"hosts\":[100,101,102,103],");
  // 1,000,000 vcpu-microseconds and a quarter more each, over 100, 101, 102 and 103 hosts:
  // 1/3600/100, 1.25/3600/101, 1.5/3600/102 and 1.75/3600/103 vCPU-hours.
  CHECK(line_of(json, "\"perHost\":") ==
        "\"perHost\":[2.77778e-06,3.43784e-06,4.08497e-06,4.71953e-06],");
  CHECK(line_of(json, "\"rejected\":") == "\"rejected\":[0,1,2,0],");
  CHECK(line_of(json, "\"tooLarge\":") == "\"tooLarge\":{\"all\":0},");
  CHECK(line_of(json, "\"admitted\":") == "\"admitted\":[400,399,398,397],");
  CHECK(line_of(json, "\"evictions\":") == "\"evictions\":[0,1,4,9],");
  CHECK(line_of(json, "\"p99\":") == "\"p99\":[20,21,22,23]}}");
}

TEST_CASE("report_json: no gain without a baseline, no share of nothing") {
  std::vector<ResultRow> rows = made_rows(1, 3);  // without run 0
  rows[0].result.spot_revenue_requested = 0;
  rows[1].result.vm_revenue_requested = 0;
  const std::string json = json_of(rows);
  CHECK(line_of(json, "\"gain\":") == "\"gain\":{\"all\":null},");
  CHECK(line_of(json, "\"share\":") == "\"share\":[null,16.6667,19.4444],");
  CHECK(line_of(json, "\"loss\":") == "\"loss\":[2e-05,null,6e-05],");
  std::vector<ResultRow> worthless = made_rows(0, 2);
  worthless[0].result.spot_revenue = 0;
  CHECK(line_of(json_of(worthless), "\"gain\":") == "\"gain\":{\"all\":null},");
}

TEST_CASE("report_json: says which runs there are unless all are") {
  // 2 workloads x 2 headrooms x 2 spots x 2 SAF x 2 OTN = 32.
  CHECK(line_of(json_of(made_rows(0, 32)), "\"runs\":") == "\"runs\":null,");
  CHECK(line_of(json_of(made_rows(5, 3)), "\"runs\":") == "\"runs\":[5,6,7],");
  CHECK(line_of(json_of(made_rows(5, 3)), "\"expectedRuns\":") == "\"expectedRuns\":32,");
}

TEST_CASE("report_json: the axes in grid order, as labels and as YAML") {
  const std::string json = json_of(made_rows(0, 32));
  CHECK(line_of(json, "\"host\":") == R"("host":"{vcpus: 64, memory_mb: 1024}",)");
  CHECK(contains(json, R"({"key":"headroom_percent","values":[{"label":"0","yaml":"0"},)"
                       R"({"label":"2.5","yaml":"2.5"}]})"));
  CHECK(contains(json, R"({"key":"vm","values":[{"label":"COS","yaml":"COS"}]})"));
  CHECK(contains(json, R"({"key":"saf","values":[{"label":"off","yaml":"off"},)"
                       R"({"label":"on","yaml":"on"}]})"));
  // Requested: 5,000,000 and 9,000,000 microseconds of one vcpu.
  CHECK(contains(json, R"({"label":"a.csv","yaml":"a.csv","sha256":")" + std::string(64, 'a') +
                           R"(","vms":1000,"spots":500,"vmRevenue":5,"spotRevenue":9})"));
  CHECK(contains(json, R"("yaml":"{synthetic: azure2020, seed: 7, )"));
  // Of a workload without a run nothing but its name is known.
  CHECK(contains(json_of(made_rows(0, 4)), R"(label: b}"}]})"));
}

TEST_CASE("script_json_text: nothing in it can end the script or the string") {
  CHECK(script_json_text("plain µ") == "\"plain µ\"");
  CHECK(script_json_text("a\"b\\c\n") == R"("a\"b\\c\u000a")");
  CHECK(script_json_text("</script><!--") == R"("\u003c/script>\u003c!--")");
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
  broken.record.configuration = "{\"workloads\":[]}";
  CHECK(contains(error_text<DatabaseError>([&] { (void)json_of(made_rows(0, 4), broken); }),
                 "results: the sweep in it cannot be read: "));
}

}  // namespace
}  // namespace cospot
