#include <doctest/doctest.h>

#include <vector>

#include "core/errors.hpp"
#include "error_text.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/provider/sizing/shared_workload.hpp"
#include "sweep_fixtures.hpp"
#include "tests/cpp/engine_checks.hpp"

namespace cospot {
namespace {

constexpr ResourceVector kSharedHost{10, 10, 0};

/// VMs of 5, 5 and 10 vcpus, one after the other, that run on. UTIL puts the second one beside the
/// first, so that 2 hosts hold all three. CPUWeigher puts it on the emptiest host: with 2 hosts
/// nothing is left for the third, so it needs 3.
SharedWorkload three_vms(std::vector<ChainSpec> vm, std::vector<ChainSpec> headroom_of = {}) {
  Workload workload;
  for (const ResourceAmount vcpus : {5, 5, 10}) {
    workload.rows.push_back({.id = std::to_string(workload.rows.size()),
                             .tenant = "t",
                             .resources = {vcpus, 1, 0},
                             .start = SimTime(0),
                             .end = kDay});
  }
  return {std::move(workload), kSharedHost, {std::move(vm), std::move(headroom_of)}};
}

const ChainSpec kPacks = chain_of("UTIL");
const ChainSpec kSpreads = chain_of("CPUWeigher");

TEST_CASE("a headroom is one number of hosts for all VM policies: over the fewest of any") {
  SharedWorkload workload = three_vms({kSpreads, kPacks});
  for (const std::size_t vm : {0UL, 1UL}) {
    CHECK(workload.hosts({.percent = 0}, vm) == 2);
    CHECK(workload.hosts({.percent = 50}, vm) == 3);  // 2 + 50 %
    CHECK(workload.hosts({.percent = std::nullopt, .hosts = 7}, vm) == 7);
  }
}

TEST_CASE("headroom_of: each_policy counts from each one's own fewest") {
  SharedWorkload workload = three_vms({kSpreads, kPacks});
  CHECK(workload.hosts({.percent = 0, .of = HeadroomOf::kEachPolicy}, 0) == 3);
  CHECK(workload.hosts({.percent = 0, .of = HeadroomOf::kEachPolicy}, 1) == 2);
}

TEST_CASE("headroom_of: a list of policies says whose fewest count, whatever the study has") {
  SharedWorkload alone = three_vms({kSpreads});
  CHECK(alone.hosts({.percent = 0}, 0) == 3);
  SharedWorkload same_size = three_vms({kSpreads}, {kSpreads, kPacks});
  CHECK(same_size.hosts({.percent = 0}, 0) == 2);
}

TEST_CASE("headroom_of: is read, and kept with the study") {
  const ScratchFolder folder;
  (void)folder.write("a.csv", "");
  const auto read = [&folder](const std::string& line) {
    return read_sweep(folder.write("s.yaml",
                                   "workloads: a.csv\nhost: {vcpus: 10, memory_mb: 10}\n"
                                   "headroom_percent: [0, 2]\nvm: UTIL\nspot: sUTIL\n"
                                   "evictor: FIFO\nsaf: false\notn: 1\n" +
                                       line),
                      {});
  };
  CHECK(read("").sizes.at(1).of == HeadroomOf::kFewest);
  CHECK(read("headroom_of: study").sizes.at(1).of == HeadroomOf::kFewest);
  CHECK(sweep_json(read("headroom_of: study")) == sweep_json(read("")));
  CHECK(read("headroom_of: each_policy").sizes.at(1).of == HeadroomOf::kEachPolicy);
  CHECK(sweep_json(read("headroom_of: each_policy"))
            .find(R"("headroom_percent":[0,2],"headroom_of":"each_policy")") != std::string::npos);
  const Sweep listed = read("headroom_of: [UTIL, COS]");
  REQUIRE(listed.headroom_policies().size() == 2);
  CHECK(listed.headroom_policies()[1].label == "COS");
  CHECK(sweep_json(listed).find(R"("headroom_of":["UTIL","COS"])") != std::string::npos);
  CHECK(error_text<ConfigError>([&] {
          (void)read("headroom_of: UTIL");
        }).find("headroom_of: found 'UTIL', expected study, each_policy or a list") !=
        std::string::npos);
}

}  // namespace
}  // namespace cospot
