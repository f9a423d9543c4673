#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <string>

#include "core/errors.hpp"
#include "core/random.hpp"
#include "sim_harness/base/files/gzip.hpp"
#include "sim_harness/data/workloads/csv_workload.hpp"
#include "sim_harness/data/workloads/window.hpp"
#include "sim_harness/data/workloads/workload_writer.hpp"
#include "tests/cpp/scratch_folder.hpp"

namespace cospot {
namespace {

using std::chrono::microseconds;

Workload two_rows() {
  return {.rows = {{.id = "a",
                    .tenant = "t",
                    .resources = {.vcpus = 2, .memory_mb = 3},
                    .start = microseconds(-1'500'000),
                    .end = microseconds(43'200'000'000)},
                   {.id = "b",
                    .tenant = "t",
                    .resources = {.vcpus = 1},
                    .instance_class = InstanceClass::kSpot,
                    .start = microseconds(1)}}};
}

std::string writing_error(const Workload& workload, const std::filesystem::path& path,
                          WorkloadSchema schema = WorkloadSchema::kCospot) {
  try {
    write_workload(workload, path, schema);
  } catch (const WorkloadError& error) {
    return error.what();
  }
  return {};
}

std::size_t files_in(const ScratchFolder& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

TEST_CASE("format_workload: the text of both schemas") {
  CHECK(format_workload(two_rows(), WorkloadSchema::kCospot) ==
        "instance_id,tenant_id,class,vcpus,memory_mb,disk_gb,start_s,end_s\n"
        "a,t,vm,2,3,0,-1.5,43200\n"
        "b,t,spot,1,0,0,0.000001,never\n");
  // -1.5 s are -1.5/86400 = -1.736111...e-05 days; 43,200 s are half a day; 1 us is 1/86400e6 days.
  CHECK(format_workload(two_rows(), WorkloadSchema::kSocc22) ==
        "vmId,tenantId,cores,ram,vmTypeId,starttime,endtime\n"
        "a,t,2,3,0,-1.736111111111111e-05,0.5\n"
        "b,t,1,0,1,1.1574074074074074e-11,inf\n");
}

TEST_CASE("write_workload: reading back gives the same rows, to the microsecond") {
  Workload workload;
  Random random(11);
  const auto span = static_cast<std::uint64_t>(2 * (10'000 * kDay).count() + 1);
  for (int i = 0; i < 20000; ++i) {
    // The extremes of the range first, then any time in it, most of them near the window.
    const SimTime far = SimTime(static_cast<std::int64_t>(random.below(span))) - 10'000 * kDay;
    const SimTime near = SimTime(static_cast<std::int64_t>(random.below(1u << 31u)));
    const SimTime start = i == 0 ? -10'000 * kDay : i % 2 == 0 ? far : near;
    const SimTime end = i == 0 ? 10'000 * kDay : i % 7 == 0 ? kNever : std::max(start, far);
    workload.rows.push_back(
        {.id = std::to_string(i),
         .tenant = "\xc3\xa9 " + std::to_string(random.below(9)),
         .resources = {.vcpus = 1 + static_cast<int>(random.below(1u << 26u)),
                       .memory_mb = static_cast<int>(random.below(1u << 26u))},
         .instance_class = i % 3 == 0 ? InstanceClass::kSpot : InstanceClass::kVm,
         .start = start,
         .end = end});
  }
  workload.window = derive_window(workload.rows);  // one that both schemas hold
  const ScratchFolder folder;
  for (const WorkloadSchema schema : {WorkloadSchema::kCospot, WorkloadSchema::kSocc22}) {
    for (const char* name : {"w.csv", "w.csv.gz"}) {
      write_workload(workload, folder / name, schema);
      CHECK(read_workload(folder / name).rows == workload.rows);
    }
  }
  workload.rows[0].resources.disk_gb = 7;
  write_workload(workload, folder / "w.csv", WorkloadSchema::kCospot);
  CHECK(read_workload(folder / "w.csv").rows == workload.rows);
  CHECK(files_in(folder) == 2);
}

TEST_CASE("write_workload: a packed file has no time stamp, and an old file is replaced") {
  const ScratchFolder folder;
  (void)folder.write("w.csv.gz", "old");
  write_workload(two_rows(), folder / "w.csv.gz", WorkloadSchema::kCospot);
  const std::string bytes = ScratchFolder::read(folder / "w.csv.gz");
  // RFC 1952: bytes 3 (flags: no name) and 4 to 7 (modification time) are 0.
  CHECK(bytes.substr(0, 8) == std::string("\x1f\x8b\x08\0\0\0\0\0", 8));
  CHECK(unpack_gzip(bytes).text == format_workload(two_rows(), WorkloadSchema::kCospot));
  CHECK(files_in(folder) == 1);
}

TEST_CASE("write_workload: a workload that a schema cannot hold is refused, nothing is written") {
  const ScratchFolder folder;
  const auto error = [&](auto change, WorkloadSchema schema = WorkloadSchema::kCospot) {
    Workload workload = two_rows();
    change(workload.rows[1]);
    return writing_error(workload, folder / "w.csv", schema);
  };
  for (const std::string id : {"", "x,y", "x\ny", "x\"y", "x\ry", "\xff"}) {
    CHECK(error([&](WorkloadRow& row) { row.tenant = id; }) ==
          "the request 'b' cannot be written: expected ids and tenants of UTF-8 text without "
          "commas, quotation marks and line ends");
  }
  CHECK(error([](WorkloadRow& row) { row.end = SimTime(0); }) ==
        "the request 'b' cannot be written: expected start <= end, both within 10,000 days");
  CHECK(error([](WorkloadRow& row) { row.start = SimTime::min(); }) ==
        "the request 'b' cannot be written: expected start <= end, both within 10,000 days");
  CHECK(error([](WorkloadRow& row) { row.resources.disk_gb = 1; }, WorkloadSchema::kSocc22) ==
        "the request 'b' cannot be written: the schema socc22 has no column for its disk_gb, "
        "expected 0");
  for (const ResourceVector& amounts :
       {ResourceVector{.vcpus = 0}, ResourceVector{.vcpus = 1, .memory_mb = -1},
        ResourceVector{.vcpus = 1, .disk_gb = kMaxResourceAmount + 1}}) {
    CHECK(error([&](WorkloadRow& row) { row.resources = amounts; }) ==
          "the request 'b' cannot be written: expected at least 1 vcpu and no negative amount, "
          "each at most 67108864");
  }
  CHECK(writing_error({}, folder / "w.csv")
            .ends_with("w.csv: not written: the workload has no requests"));
  CHECK(files_in(folder) == 0);
}

TEST_CASE("write_workload: a place that cannot be written to") {
  const ScratchFolder folder;
  CHECK(writing_error(two_rows(), folder / "none/w.csv") ==
        (folder / "none/w.csv").string() + ": cannot be written: No such file or directory");
  CHECK(writing_error(two_rows(), folder.path()) ==
        folder.path().string() + ": cannot be written: Is a directory");
  if (std::filesystem::exists("/dev/full")) {
    CHECK(writing_error(two_rows(), "/dev/full") ==
          "/dev/full: cannot be written: No space left on device");
  }
  if (::geteuid() == 0) {
    MESSAGE("skipped: root may write to a read-only folder");
    return;
  }
  ::chmod(folder.path().c_str(), 0500);
  CHECK(writing_error(two_rows(), folder / "w.csv") ==
        (folder / "w.csv").string() + ": cannot be written: Permission denied");
  ::chmod(folder.path().c_str(), 0700);
}

TEST_CASE("write_workload: a disk that is full leaves the old file and nothing else") {
  // A limit on the size of files stands in for the full disk: writing fails part-way.
  const ScratchFolder folder;
  const auto file = folder.write("w.csv", "old");
  Workload workload = two_rows();
  workload.rows[0].id = std::string(100'000, 'x');
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit small{.rlim_cur = 4096, .rlim_max = before.rlim_max};
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const std::string error = writing_error(workload, file);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  std::signal(SIGXFSZ, old_handler);
  CHECK(error == file.string() + ": cannot be written: File too large");
  CHECK(ScratchFolder::read(file) == "old");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("write_workload: the published workloads survive both schemas") {
  const char* data = std::getenv("COSPOT_DATA");
  if (data == nullptr) {
    MESSAGE("skipped: COSPOT_DATA is not set");
    return;
  }
  const Workload workload = read_workload(std::filesystem::path(data) /
                                          "azure2020-cospot/batched/relevant-vm-1pcnt_3.csv.gz");
  for (const WorkloadSchema schema : {WorkloadSchema::kCospot, WorkloadSchema::kSocc22}) {
    CHECK(parse_workload(format_workload(workload, schema), "w").rows == workload.rows);
  }
}

TEST_CASE("find_workload_schema: names both in its error") {
  CHECK(find_workload_schema("socc22") == WorkloadSchema::kSocc22);
  CHECK_THROWS_WITH_AS((void)find_workload_schema("x"),
                       "unknown workload schema 'x', expected cospot, socc22", ConfigError);
}

TEST_CASE("seconds_text: exact, with as few decimals as it needs") {
  CHECK(seconds_text(kNever) == "never");
  CHECK(seconds_text(SimTime(-1)) == "-0.000001");
  CHECK(seconds_text(SimTime(-90'000'000)) == "-90");
  CHECK(seconds_text(SimTime(0)) == "0");
  CHECK(seconds_text(SimTime(1'230'000)) == "1.23");
}

TEST_CASE("revenue_between: only the part inside the window counts") {
  const WorkloadRow row{.resources = {.vcpus = 3}, .start = SimTime(-5), .end = kNever};
  const SimTime window(100);
  CHECK(revenue_between(row, SimTime(10), SimTime(30), window) == 60);   // 3 * 20
  CHECK(revenue_between(row, SimTime(-10), SimTime(30), window) == 90);  // 3 * 30
  CHECK(revenue_between(row, SimTime(90), kNever, window) == 30);        // 3 * 10
  CHECK(revenue_between(row, SimTime(-10), SimTime(0), window) == 0);
  CHECK(revenue_between(row, SimTime(100), SimTime(200), window) == 0);
  CHECK(revenue_between(row, SimTime(30), SimTime(10), window) == 0);
  CHECK(requested_revenue(row, window) == 300);  // all of the window
}

}  // namespace
}  // namespace cospot
