#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <vector>

#include "core/errors.hpp"
#include "core/model/host_table.hpp"
#include "core/ranking/chain.hpp"
#include "filters/feasibility_filter.hpp"
#include "weighers/util_weigher.hpp"

namespace cospot {
namespace {

constexpr ResourceVector kLiveTotal{.vcpus = 8, .memory_mb = 16, .disk_gb = 4};

TEST_CASE("HostTable: a replaced host is what the spec says, and newer") {
  HostTable hosts = HostTable::uniform(3, kLiveTotal);
  CHECK(hosts.is_uniform());
  hosts.replace(1, {.name = "b",
                    .total = {.vcpus = 32, .memory_mb = 8},
                    .vm_used = {.vcpus = 30, .memory_mb = 9},
                    .spot_used = {.vcpus = 4, .memory_mb = 1},
                    .num_vms = 5,
                    .num_spots = 2,
                    .num_io_ops = 1});
  CHECK(hosts.name(1) == "b");
  CHECK(hosts.free(1, Sees::kVms) == ResourceVector{.vcpus = 2, .memory_mb = -1});
  CHECK(hosts.free(1, Sees::kVmsAndSpots) == ResourceVector{.vcpus = -2, .memory_mb = -2});
  CHECK(hosts.view()[1].total() == ResourceVector{.vcpus = 32, .memory_mb = 8});
  CHECK(hosts.view()[1].num_vms() == 5);
  CHECK(hosts.view()[1].num_spots() == 2);
  CHECK(hosts.view()[1].num_io_ops() == 1);
  CHECK(hosts.generation(1) == 1);
  CHECK(hosts.generation(0) == 0);
  CHECK_FALSE(hosts.is_uniform());
  CHECK(hosts.largest_total() == ResourceVector{.vcpus = 32, .memory_mb = 16, .disk_gb = 4});
}

TEST_CASE("HostTable: a host that cannot be is refused and nothing changes") {
  HostTable hosts = HostTable::uniform(2, kLiveTotal);
  CHECK_THROWS_AS(hosts.replace(0, {.name = "x", .total = {.vcpus = 0, .memory_mb = 1}}),
                  ConfigError);
  CHECK(hosts.name(0) == "host-0");
  CHECK(hosts.generation(0) == 0);
  hosts.replace(0, {.name = "x", .total = kLiveTotal});
  CHECK(hosts.is_uniform());
}

TEST_CASE("Chain: only the candidates are weighed") {
  using Util = UtilWeigher<PolicyVariant::kVm>;
  std::vector<std::unique_ptr<Filter>> filters;
  filters.push_back(std::make_unique<VmFeasibilityFilter>(PluginOptions{}));
  std::vector<Chain::WeighedBy> weighers;
  weighers.push_back({.weigher = std::make_unique<Util>(PluginOptions{})});
  const Chain chain(std::move(filters), std::move(weighers));
  HostTable hosts = HostTable::uniform(4, kLiveTotal);
  hosts.add_vm(1, {.vcpus = 3});
  hosts.add_vm(2, {.vcpus = 8});  // full
  const std::array<HostIndex, 3> candidates{0, 2, 3};
  ChainScratch scratch;
  std::vector<RankedHost> ranked{{.host = 7}};
  chain.weigh(hosts.view(), candidates, {.vcpus = 1}, scratch, ranked);
  REQUIRE(ranked.size() == 2);
  CHECK(ranked[0].host == 0);
  CHECK(ranked[1].host == 3);
  CHECK(ranked[1].weight == -8);
}

}  // namespace
}  // namespace cospot
