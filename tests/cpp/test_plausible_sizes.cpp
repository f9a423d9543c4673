#include <doctest/doctest.h>

#include <string>

#include "sim_harness/data/workloads/plausible_sizes.hpp"

namespace cospot {
namespace {

SizeSums sums_of(ResourceAmount vcpus, ResourceAmount memory_mb) {
  SizeSums sums;
  sums.add({.vcpus = vcpus, .memory_mb = memory_mb});
  sums.add({.vcpus = 1000});  // without memory: says nothing of the unit
  return sums;
}

}  // namespace

TEST_CASE("SizeSums: memory a vCPU tells GiB, KiB and bytes from MiB") {
  constexpr VcpusUnit kVcpus;
  CHECK(sums_of(4, 16384).memory_doubt(kVcpus).empty());
  CHECK(sums_of(4, 4 * 64).memory_doubt(kVcpus).empty());
  // 16 / 4 = 4 a vCPU.
  CHECK(sums_of(4, 16).memory_doubt(kVcpus).starts_with("requests ask for 4 MiB of memory a vCPU"));
  CHECK(sums_of(4, 4 * 262'144).memory_doubt(kVcpus).empty());
  CHECK(sums_of(4, 4 * 262'145).memory_doubt(kVcpus).find("KiB or bytes") != std::string::npos);
  // Thousandths of a CPU: 4,000 of them with 16,384 MiB are 4,096 MiB a vCPU.
  CHECK(sums_of(4000, 16384).memory_doubt({.vcpus = 0.001}).empty());
  // CPUs that are taken for thousandths: 4,096 / 0.001 a vCPU.
  CHECK(sums_of(4, 16384).memory_doubt({.vcpus = 0.001}).ends_with("0.001 vCPU: --vcpus-unit"));
  CHECK(sums_of(4000, 16).memory_doubt({.is_relative = true}).empty());
  CHECK(SizeSums().memory_doubt(kVcpus).empty());
}

TEST_CASE("SizeSums: hosts with another memory a vcpu count in another unit") {
  constexpr VcpusUnit kMilli{.vcpus = 0.001};
  const SizeSums sums = sums_of(4000, 16384);  // 4.096 a vcpu
  CHECK(sums.host_doubt({.vcpus = 16'000, .memory_mb = 65'536}, kMilli).empty());
  // As much as 100 times is a host of another shape: 16,000 with 6,553,600 is just 100 times.
  CHECK(sums.host_doubt({.vcpus = 16'000, .memory_mb = 6'553'600}, kMilli).empty());
  CHECK(sums.host_doubt({.vcpus = 16, .memory_mb = 65'536}, kMilli).find("0.001 vCPU") !=
        std::string::npos);
  CHECK(!sums.host_doubt({.vcpus = 16'000, .memory_mb = 64}, kMilli).empty());  // GiB
  CHECK(SizeSums().host_doubt({.vcpus = 16, .memory_mb = 65'536}, kMilli).empty());
}

}  // namespace cospot
