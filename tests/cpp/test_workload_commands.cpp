#include <doctest/doctest.h>

#include <CLI/CLI.hpp>
#include <string>

#include "core/errors.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/host_totals.hpp"
#include "sim_harness/data/workloads/csv_workload.hpp"
#include "tests/cpp/scratch_folder.hpp"

namespace cospot {
namespace {

void run_workload_command(const std::string& arguments) {
  CLI::App app;
  add_workload_commands(app);
  app.parse(arguments);
}

TEST_CASE("workload commands: convert there and back, sample, info") {
  const ScratchFolder folder;
  std::string text = "instance_id,tenant_id,class,vcpus,memory_mb,disk_gb,start_s,end_s\n";
  for (int i = 0; i < 50; ++i) text += std::to_string(i) + ",t,vm,1,2,0,0.1,7\n";
  const std::string own = folder.write("own.csv", text).string();
  const std::string release = (folder / "release.csv.gz").string();
  const std::string back = (folder / "back.csv").string();
  run_workload_command("workload convert " + own + " -o " + release + " --schema socc22");
  run_workload_command("workload convert " + release + " -o " + back);
  // The release's schema counts in units of its authors, whatever was written into it.
  CHECK(ScratchFolder::read(back) == "# vcpus_unit: relative\n" + text);
  run_workload_command("workload sample " + own + " -o " + back + " --probability 0.5 --seed 3");
  const std::size_t kept = read_workload(back).rows.size();
  CHECK(kept > 0);
  CHECK(kept < 50);
  // The 50 rows are one batch: all or none, and at probability 1 all.
  run_workload_command("workload sample " + own + " -o " + back + " --probability 1 --batched");
  CHECK(ScratchFolder::read(back) == text);
  run_workload_command("workload info " + own + " --host 10,10");
  run_workload_command("workload info " + own + " --json");
}

TEST_CASE("workload commands: bad input is refused before anything is written") {
  const ScratchFolder folder;
  const std::string in =
      folder.write("in.csv", "vmId,tenantId,cores,ram,vmTypeId,starttime,endtime\n1,1,1,1,0,0,inf")
          .string();
  const std::string out = (folder / "out.csv").string();
  CHECK_THROWS_AS(run_workload_command("workload convert " + in + " -o " + out + " --schema x"),
                  ConfigError);
  CHECK_THROWS_AS(run_workload_command("workload sample " + in + " -o " + out + " --probability 2"),
                  ConfigError);
  CHECK_THROWS_WITH_AS(
      run_workload_command("workload sample " + in + " -o " + out + " --probability 1e-9 --seed 1"),
      (out + ": nothing written: a draw with probability 1e-09 and seed 1 keeps no request, "
             "expected a larger probability or another seed")
          .c_str(),
      ConfigError);
  CHECK_THROWS_AS(run_workload_command("workload info " + out), WorkloadError);
  CHECK_THROWS_AS(run_workload_command("workload info " + in + " --host 10"), ConfigError);
  CHECK_THROWS_AS(run_workload_command("workload"), CLI::RequiredError);
  CHECK_THROWS_AS(run_workload_command("workload sample " + in + " -o " + out), CLI::RequiredError);
  CHECK_FALSE(std::filesystem::exists(out));
}

TEST_CASE("parse_host_totals: two or three whole numbers") {
  CHECK(parse_host_totals("10400,2250") == ResourceVector{10400, 2250, 0});
  CHECK(parse_host_totals("1,2,3") == ResourceVector{1, 2, 3});
  for (const char* text : {"", "1", "1,2,3,4", "1,2,3,4,5", "1,2,", "0,2", "1,0", "1,-2", "1;2",
                           "1.5,2", "1,2,nan", "1e300,1", ","}) {
    CAPTURE(text);
    CHECK_THROWS_AS((void)parse_host_totals(text), ConfigError);
  }
  CHECK_THROWS_WITH_AS((void)parse_host_totals("0,2"),
                       "--host 0,2: VCPUS is '0', expected a whole number from 1 to 67108864",
                       ConfigError);
  CHECK_THROWS_WITH_AS((void)parse_host_totals("7"),
                       "--host 7: expected VCPUS,MEMORY_MB or VCPUS,MEMORY_MB,DISK_GB",
                       ConfigError);
}

}  // namespace
}  // namespace cospot
