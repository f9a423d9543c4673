#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "core/errors.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/provider/policies/policy_loader.hpp"
#include "sim_harness/studies/study.hpp"
#include "tests/cpp/scratch_folder.hpp"

namespace cospot {
namespace {

/// What a command prints to standard output.
std::string run(const ScratchFolder& folder, const std::string& arguments) {
  const std::filesystem::path file = folder / "stdout";
  std::fflush(stdout);
  const int before = ::dup(STDOUT_FILENO);
  const int captured = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  REQUIRE(::dup2(captured, STDOUT_FILENO) == STDOUT_FILENO);
  const auto restore = [&] {
    std::fflush(stdout);
    ::dup2(before, STDOUT_FILENO);
    ::close(before);
    ::close(captured);
  };
  try {
    CLI::App app;
    NoPythonPolicies policies;
    add_run_command(app, policies, built_in_studies());
    add_size_command(app, policies);
    app.parse(arguments);
  } catch (...) {
    restore();
    throw;
  }
  restore();
  return ScratchFolder::read(file);
}

/// The scenario that test_explain_text.cpp works out, and a VM larger than a host. i0 earns 6 vcpus
/// from day 4 to 14, i4 4 vcpus from day 5 to 14; i5 would 11 from day 6 to 7: VMs 107 vcpu-days
/// requested, 96 earned. The spots would earn 2, 2 and 7 from day 4 to 6: 22 vcpu-days, but i3 goes
/// on day 5: 15.
class Scenario {
 public:
  Scenario() {
    (void)folder_.write("requests.csv",
                        "instance_id,tenant_id,class,vcpus,memory_mb,disk_gb,start_s,end_s\n"
                        "i0,t,vm,6,2,0,345600,never\n"
                        "i1,t,spot,2,4,0,345600,518400\n"
                        "i2,t,spot,2,4,0,345600,518400\n"
                        "i3,t,spot,7,6,0,345600,518400\n"
                        "i4,t,vm,4,6,0,432000,never\n"
                        "i5,t,vm,11,1,0,518400,604800\n");
    file = folder_
               .write("scenario.yaml",
                      "workloads: requests.csv\nhost: {vcpus: 10, memory_mb: 10}\nhosts: 3\n"
                      "vm: UTIL\nspot: FirstFit\nevictor: FIFO\nsaf: false\notn: 2\n")
               .string();
  }

  [[nodiscard]] std::string run(const std::string& arguments) const {
    return cospot::run(folder_, arguments);
  }
  [[nodiscard]] std::filesystem::path operator/(const char* name) const { return folder_ / name; }

  std::string file;

 private:
  ScratchFolder folder_;
};

TEST_CASE("run: prints counts and revenue, and which VMs were larger than a host") {
  const Scenario scenario;
  // 107 vcpu-days = 2568 vCPU-hours, 96 = 2304; 22 = 528, 15 = 360. 96/107 = 89.7196 %, 15/22 =
  // 68.1818 %.
  CHECK(scenario.run("run " + scenario.file + " --timing off") ==
        R"(workload  requests.csv
hosts     3 of 10 vCPUs, 10 MiB, 0 GB
policies  VM UTIL, spot FirstFit, evictor FIFO, SAF off, OTN 2

                                               VMs             spots
requests                                         3                 3
placed                                           2                 3
rejected                                         1                 0
evicted                                          -                 1
revenue requested, vCPU-hours             2568.000           528.000
revenue earned, vCPU-hours                2304.000           360.000
  of what was requested                  89.7196 %         68.1818 %
  lost                                   10.2804 %         31.8182 %
1 of the rejected VMs was larger than an empty host
)");
  const std::string timed = scenario.run("run " + scenario.file);
  CHECK(timed.find("\ntime to allocate a VM: p50 ") != std::string::npos);
  CHECK(timed.find("\ntime to simulate: ") != std::string::npos);
}

TEST_CASE("run: overrides, headroom") {
  const Scenario scenario;
  // A host of (11,10) holds i5, but not beside i0: (6,2). i4 and i0 fit one host, so two hosts do;
  // 50 % more are 3.
  const std::string text = scenario.run("run " + scenario.file +
                                        " --timing off --set headroom_percent=50 --set "
                                        "host.vcpus=11 --set otn=3 --set saf=true");
  CHECK(text.find("hosts     3 of 11 vCPUs, 10 MiB, 0 GB; 2 fit the VMs, 50 % headroom\n"
                  "policies  VM UTIL, spot FirstFit, evictor FIFO, SAF on, OTN 3\n") !=
        std::string::npos);
  CHECK(text.find("larger than") == std::string::npos);
}

TEST_CASE("run: explains one request, with and without an event log") {
  const Scenario scenario;
  const std::string plain = scenario.run("run " + scenario.file + " --timing off");
  const std::string explained = scenario.run("run " + scenario.file + " --timing off --explain i4");
  CHECK(explained.starts_with("VM 'i4' asks for 4 vCPUs, 6 MiB"));
  CHECK(explained.ends_with("\nhost-1 wins: least score 1 of 2 offered; 1 spot goes\n\n" + plain));
  const std::string log = (scenario / "events.csv").string();
  const std::string other = (scenario / "other.csv").string();
  CHECK(scenario.run("run " + scenario.file + " --timing off --explain i4 --events " + log) ==
        explained);
  CHECK(scenario.run("run " + scenario.file + " --timing off --events " + other) == plain);
  CHECK(ScratchFolder::read(log) == ScratchFolder::read(other));
  // 6 requests, 2 hosts offered for i0 and for i4 and none for i5, 5 placements, 1 rejection, 1
  // eviction, 2 departures (i1 and i2), and the header.
  const std::string rows = ScratchFolder::read(log);
  CHECK(std::count(rows.begin(), rows.end(), '\n') == 6 + 4 + 5 + 1 + 1 + 2 + 1);
}

TEST_CASE("run: bad input is an error, and leaves what was there") {
  const Scenario scenario;
  CHECK_THROWS_AS((void)scenario.run("run " + scenario.file + " --explain nobody"), InputError);
  CHECK_THROWS_AS((void)scenario.run("run " + scenario.file + " --set otn=[1,2]"), ConfigError);
  CHECK_THROWS_AS((void)scenario.run("run " + scenario.file + " --explain-all"),
                  CLI::RequiresError);
  CHECK_THROWS_AS((void)scenario.run("run " + scenario.file + " --set headroom_percent=0"),
                  ConfigError);  // i5 is larger than a host
  CHECK_THROWS_AS((void)scenario.run("run " + scenario.file + "x"), InputError);
  const std::string text = ScratchFolder::read(scenario.file);
  CHECK_THROWS_WITH_AS(
      (void)scenario.run("run " + scenario.file + " --events " + scenario.file),
      ("--events " + scenario.file + ": is an input of this run; choose another file").c_str(),
      InputError);
  CHECK(ScratchFolder::read(scenario.file) == text);
}

TEST_CASE("size: prints the hosts for every VM policy and headroom") {
  const ScratchFolder folder;
  // Three VMs (6,6) and one (4,4) at once: 22 of 10 need at least 3 hosts, and 3 do.
  const std::string file =
      folder
          .write("w.csv",
                 "vmId,tenantId,cores,ram,vmTypeId,starttime,endtime\n1,t,6,6,0,0,inf\n"
                 "2,t,6,6,0,0,inf\n3,t,6,6,0,0,inf\n4,t,4,4,0,0,inf\n5,t,9,9,1,0,inf\n")
          .string();
  CHECK(run(folder, "size " + file + " --vm UTIL --vm COS --host 10,10 --headroom 0,10,50") ==
        "workload  " + file +
            ": 4 VMs\n"
            "hosts of  10 units, 10 units of memory, 0 GB\n\n"
            "hosts by headroom (lower bound: the peak demand, were it packed without loss)\n"
            "VM policy  lower bound  0 %  10 %  50 %\n"
            "UTIL                 3    3     3     5\n"
            "COS                  3    3     3     5\n"  // 3 x 0.5 = 1.5, rounded to 2
            "10% adds no host: it is rounded to whole hosts.\n"
            "The VMs need 3 hosts, placed by UTIL; tune, plan and studies over these policies "
            "count a "
            "headroom from this number.\n");
  CHECK(run(folder, "size azure2020:seed=1:scale=0.0005 --vm UTIL --host 10400,2250")
            .starts_with("workload  azure2020:seed=1:scale=0.0005: "));
  CHECK_THROWS_WITH_AS((void)run(folder, "size no.csv --vm UTIL --vm Util --host 10,10"),
                       doctest::Contains("unknown weigher 'Util'"), ConfigError);
  CHECK_THROWS_AS((void)run(folder, "size " + file + " --vm UTIL --host 10"), ConfigError);
  CHECK_THROWS_AS((void)run(folder, "size " + file + " --vm UTIL --host 5,10"), ConfigError);
  for (const char* headroom : {"-1", "nan", "1e9"}) {
    CAPTURE(headroom);
    CHECK_THROWS_AS((void)run(folder, "size " + file + " --vm UTIL --host 10,10 --headroom=" +
                                          std::string(headroom)),
                    ConfigError);
  }
}

}  // namespace
}  // namespace cospot
