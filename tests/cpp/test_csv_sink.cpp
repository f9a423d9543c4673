#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "core/errors.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/experiments/results/csv_sink.hpp"
#include "sweep_fixtures.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

const std::string kResultsHeader =
    "workload,headroom_percent,vm,spot,evictor,saf,otn,hosts,vm_requests,vm_rejected,"
    "spot_requests,spot_admitted,evictions,vm_revenue_requested,vm_revenue,"
    "spot_revenue_requested,spot_revenue,alloc_p50_ns,alloc_p99_ns,alloc_max_ns,wall_ms,"
    "vm_too_large,spot_revenue_first_hour_free,spot_revenue_per_host,"
    "spot_alloc_p50_ns,spot_alloc_p99_ns,spot_alloc_max_ns\n";

TEST_CASE("csv_text: the columns of the contract, in order") {
  // Run 7: workload a (runs 0-15), headroom 0 (0-7), sDPD (4-7), SAF on (6, 7), OTN 4 (odd).
  // Revenue 1,000,000 + 7 x 250,000 = 2,750,000 vcpu-microseconds = 2.75 vcpu-seconds; a quarter
  // less with the first hour free.
  ResultRow row = made_row(7);
  row.result.vm_too_large = 3;
  CHECK(csv_of({&row, 1}, Timing::kOn) == kResultsHeader +
                                              "a.csv,0,COS,sDPD,FIFO,1,4,107,1000,1,500,393,49,5,"
                                              "4.999993,9,2.75,17,27,37,8.500,3,2.5,0.026,47,57,"
                                              "67\n");
  CHECK(csv_of({&row, 1}, Timing::kOff) == kResultsHeader +
                                               "a.csv,0,COS,sDPD,FIFO,1,4,107,1000,1,500,393,49,5,"
                                               "4.999993,9,2.75,0,0,0,0.000,3,2.5,0.026,0,0,0\n");
}

TEST_CASE("csv_text: headroom as a number, and empty when the study gives host counts") {
  ResultRow row = made_row(8);
  CHECK(contains(csv_of({&row, 1}, Timing::kOn), "\na.csv,2.5,COS,"));
  row.headroom_percent.reset();
  CHECK(contains(csv_of({&row, 1}, Timing::kOn), "\na.csv,,COS,"));
}

TEST_CASE("write_csv: replaces the file as a whole and leaves nothing beside it") {
  const ScratchFolder folder;
  const fs::path file = folder.write("out.csv", "old");
  const std::vector<ResultRow> rows = made_rows(0, 3);
  ResultsDatabase results = database_of(rows);
  write_csv(file, results, Timing::kOn);
  CHECK(ScratchFolder::read(file) == csv_of(rows, Timing::kOn));
  require_writable(file);
  CHECK(ScratchFolder::read(file) == csv_of(rows, Timing::kOn));
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("write_csv: a place that cannot be written is named; a full device is noticed") {
  const ScratchFolder folder;
  ResultsDatabase results = database_of(made_rows(0, 3));
  for (const fs::path& file : {folder / "no/out.csv", folder.path(), fs::path("/proc/out.csv")}) {
    for (const bool ask_only : {true, false}) {
      const std::string error = error_text<InputError>(
          [&] { ask_only ? require_writable(file) : write_csv(file, results, Timing::kOn); });
      CHECK_MESSAGE(contains(error, file.string() + ": cannot be written"), error);
    }
  }
  CHECK(contains(error_text<InputError>([&] { write_csv("/dev/full", results, Timing::kOn); }),
                 "/dev/full: cannot be written: No space left"));
  CHECK(fs::exists("/dev/full"));
  CHECK(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace cospot
