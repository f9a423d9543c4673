#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/base/files/gzip.hpp"
#include "sim_harness/base/files/sqlite_connection.hpp"
#include "sim_harness/data/traces/packing_trace.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/scratch_folder.hpp"

namespace cospot {
namespace {

constexpr std::string_view kTypesCsv =
    "id,vmTypeId,machineId,core,memory,hdd,ssd,nic\n"
    "1,7,0,0.5,0.25,,0.1,0.1\n"
    "2,3,0,1,0.125,,0.1,0.1\n";
constexpr std::string_view kRequestsCsv =
    "vmId,tenantId,vmTypeId,priority,starttime,endtime\n"
    "11,1,7,0,-1.5,\n"
    "12,1,3,1,0.25,0.5\n";

constexpr const char* kTables =
    "CREATE TABLE vmType (id INTEGER, vmTypeId INTEGER, machineId INTEGER, core REAL, memory REAL, "
    "hdd REAL, ssd REAL, nic REAL);"
    "CREATE TABLE vm (vmId INTEGER, tenantId INTEGER, vmTypeId INTEGER, priority INTEGER, "
    "starttime REAL, endtime REAL);"
    "INSERT INTO vmType VALUES (1, 7, 0, 0.5, 0.25, NULL, 0.1, 0.1);"
    "INSERT INTO vmType VALUES (2, 3, 0, 1.0, 0.125, NULL, 0.1, 0.1);"
    "INSERT INTO vm VALUES (12, 1, 3, 1, 0.25, 0.5);"
    "INSERT INTO vm VALUES (11, 1, 7, 0, -1.5, NULL);";

std::filesystem::path write_packing_database(const ScratchFolder& folder,
                                             const std::string& more = {}) {
  const std::filesystem::path file = folder / "trace.sqlite";
  std::filesystem::remove(file);
  SqliteConnection(file, SqliteOpen::kCreate).execute(kTables + more);
  return file;
}

void check_content(PackingTrace& trace) {
  const auto shares = trace.read_shares();
  REQUIRE(shares.size() == 2);
  CHECK(shares[0].vm_type == 3);  // sorted
  CHECK(shares[0].cores == 1);
  CHECK(shares[1].vm_type == 7);
  CHECK(shares[1].memory == 0.25);
  CHECK(trace.count_requests() == std::map<std::int64_t, std::uint64_t>{{3, 1}, {7, 1}});
  std::vector<TraceRequest> requests;
  trace.read_requests([&](const TraceRequest& request) { requests.push_back(request); });
  REQUIRE(requests.size() == 2);
  CHECK(requests[0].id == 11);
  CHECK(requests[0].start == -(kDay + kDay / 2));
  CHECK(requests[0].end == kNever);
  CHECK(requests[0].instance_class == InstanceClass::kVm);
  CHECK(requests[1].id == 12);
  CHECK(requests[1].instance_class == InstanceClass::kSpot);
  CHECK(requests[1].end == kDay / 2);
}

/// Reads everything, as `workload reconstruct` does; gives the error.
std::string read_error(const std::filesystem::path& trace,
                       const std::filesystem::path& types = {}) {
  return error_text<InputError>([&] {
    const auto opened = open_packing_trace(trace, types);
    (void)opened->read_shares();
    (void)opened->count_requests();
    opened->read_requests([](const TraceRequest& /*request*/) {});
  });
}

TEST_CASE("open_packing_trace: reads SQLite in order of time, and CSV, plain or gzip") {
  const ScratchFolder folder;
  check_content(*open_packing_trace(write_packing_database(folder), {}));
  const auto types = folder.write("types.csv", kTypesCsv);
  check_content(*open_packing_trace(folder.write("vm.csv", kRequestsCsv), types));
  const auto packed_types = folder.write("types.csv.gz", pack_gzip(kTypesCsv));
  const auto packed = folder.write("vm.csv.gz", pack_gzip(kRequestsCsv));
  check_content(*open_packing_trace(packed, packed_types));
}

TEST_CASE("open_packing_trace: what is no trace") {
  const ScratchFolder folder;
  const auto types = folder.write("types.csv", kTypesCsv);
  const auto database = write_packing_database(folder);
  const auto zip = folder.write("t.zip", "PK\x03\x04 and more");
  const auto empty = folder.write("empty.csv", "");
  CHECK(contains(read_error(folder / "none"), "none: cannot be read: there is no such file"));
  CHECK(contains(read_error(folder.path()), "it is a directory, expected a file"));
  CHECK(contains(read_error(zip), "is a zip archive, expected the SQLite file in it"));
  CHECK(contains(read_error(types), "is not an SQLite file, expected one with the tables vm and"));
  CHECK(contains(read_error(database, types), "expected no --types"));
  CHECK(contains(read_error(empty, types), "empty.csv:1: the file is empty, expected a header"));
}

TEST_CASE("SqliteTrace: faults name the file, the table and the row") {
  const ScratchFolder folder;
  struct Case {
    std::string sql;
    std::string expected;
  };
  const std::vector<Case> cases{
      {"DROP TABLE vm",
       "there is no table 'vm', expected the tables vm and vmType; it has: vmType"},
      {"DROP TABLE vmType", "there is no table 'vmType'"},
      {"ALTER TABLE vm DROP COLUMN priority", "table vm: the column 'priority' is missing"},
      {"ALTER TABLE vmType DROP COLUMN core", "table vmType: the column 'core' is missing"},
      {"DELETE FROM vm", "table vm: there are no rows, expected requests"},
      {"DELETE FROM vmType", "table vmType: there are no rows"},
      {"UPDATE vmType SET core = NULL WHERE vmTypeId = 7",
       "table vmType: vmTypeId 7, machineId 0: core is empty, expected a fraction of the machine"},
      {"UPDATE vmType SET memory = -0.5 WHERE vmTypeId = 7", "memory is -0.5, expected a fraction"},
      {"UPDATE vmType SET memory = 1.25 WHERE vmTypeId = 7", "memory is 1.25, expected a fraction"},
      {"INSERT INTO vmType SELECT * FROM vmType WHERE vmTypeId = 7",
       "table vmType: vmTypeId 7 comes twice with machineId 0, expected one row"},
      {"UPDATE vm SET starttime = 'soon' WHERE vmId = 12",
       "table vm: vmId 12: starttime is 'soon', expected days from -10000 to 10000"},
      {"UPDATE vm SET starttime = NULL WHERE vmId = 12", "vmId 12: starttime is empty"},
      {"UPDATE vm SET endtime = 0.125 WHERE vmId = 12",
       "vmId 12: endtime 0.125 is before starttime 0.25"},
      {"UPDATE vm SET priority = 2 WHERE vmId = 12",
       "vmId 12: priority is 2, expected 0 (VM) or 1 (spot)"},
      {"UPDATE vm SET vmTypeId = 'D2' WHERE vmId = 12",
       "vmTypeId is 'D2', expected a whole number"},
      {"UPDATE vm SET vmId = NULL WHERE vmId = 12", "table vm: vmId is empty, expected a whole"},
      {"UPDATE vm SET endtime = x'ff00' WHERE vmId = 12", "endtime is not text, expected days"},
  };
  for (const Case& fault : cases) {
    CAPTURE(fault.sql);
    const std::string error = read_error(write_packing_database(folder, fault.sql));
    CAPTURE(error);
    CHECK(contains(error, "trace.sqlite: "));
    CHECK(contains(error, fault.expected));
  }
}

TEST_CASE("SqliteTrace: a truncated or damaged file") {
  const ScratchFolder folder;
  std::string many =
      "WITH RECURSIVE n(i) AS (VALUES (100) UNION ALL SELECT i + 1 FROM n WHERE i < "
      "5000) INSERT INTO vm SELECT i, 1, 7, 0, i, NULL FROM n";
  const std::string whole = ScratchFolder::read(write_packing_database(folder, many));
  REQUIRE(whole.size() > 40000);
  for (const std::size_t size : {whole.size() / 2, whole.size() - 4096, std::size_t{100}}) {
    CAPTURE(size);
    CHECK(
        contains(read_error(folder.write("cut.sqlite", whole.substr(0, size))), "cut.sqlite: is "));
  }
}

TEST_CASE("CsvTrace: faults name the file and the line") {
  const ScratchFolder folder;
  const std::string types(kTypesCsv);
  const std::string requests(kRequestsCsv);
  const auto error_with = [&](const std::string& request_text, const std::string& type_text) {
    return read_error(folder.write("vm.csv", request_text), folder.write("types.csv", type_text));
  };
  CHECK(contains(error_with(requests, "vmTypeId,machineId,core\n1,1,1\n"),
                 "types.csv:1: the column 'memory' is missing, expected vmTypeId,machineId,core"));
  CHECK(contains(error_with(requests, types + "3,8,0,nan,0.5,,,\n"),
                 "types.csv:4: core is 'nan', expected a fraction"));
  CHECK(contains(error_with(requests, types + "3,8,0,0,0.5,,,\n"), "types.csv:4: core is 0"));
  CHECK(contains(error_with(requests, types + "3,8,0,0.5\n"),
                 "types.csv:4: 4 fields, expected 8 as in the header line"));
  CHECK(contains(error_with(requests + "13,1,3,1,nan,\n", types), "vm.csv:4: starttime is 'nan'"));
  CHECK(contains(error_with(requests + "13,1,3,1,1e9,\n", types), "vm.csv:4: starttime is 1"));
  CHECK(contains(error_with(requests + "13,1,3,1,0,nan\n", types), "vm.csv:4: endtime is 'nan'"));
  CHECK(contains(error_with(requests + "1.5,1,3,1,0,\n", types), "vm.csv:4: vmId is 1.5"));
  CHECK(
      contains(error_with(requests + "\n13,1,3,1,0,\n", types), "vm.csv:4: 0 fields, expected 6"));
  CHECK(contains(error_with(requests + "\xff\n", types), "vm.csv:4: byte 0xff is not text"));
  CHECK(contains(error_with(requests.substr(0, requests.find('\n') + 1), types),
                 "vm.csv:1: the file has a header line but no rows"));
  CHECK(
      error_with(requests + "13,1,3,1,0,inf\n", types).empty());  // as the CoSpot release writes it
}

TEST_CASE("CsvTrace: truncated gzip data is found out") {
  const ScratchFolder folder;
  std::string requests(kRequestsCsv);
  for (int i = 100; i < 5000; ++i) requests += std::to_string(i) + ",1,7,0,0.5,\n";
  const std::string packed = pack_gzip(requests);
  const auto cut = folder.write("vm.csv.gz", packed.substr(0, packed.size() / 2));
  const std::string error = read_error(cut, folder.write("types.csv", kTypesCsv));
  CAPTURE(error);
  CHECK(contains(error, "the gzip data is truncated"));
}

}  // namespace
}  // namespace cospot
