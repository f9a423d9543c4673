// What a decision costs in C++: the offer of a chain's top 8 of 1,000 hosts. bench_bindings.py puts
// the same decision from Python beside it.

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "core/handshake/offer.hpp"
#include "sim_harness/provider/run/allocator.hpp"

namespace cospot {
namespace {

constexpr std::int32_t kHosts = 1000;
constexpr std::size_t kOfferTopN = 8;

/// The hosts of bench_bindings.py.
HostTable nearly_full() {
  constexpr ResourceVector kTotal{.vcpus = 64, .memory_mb = 262144};
  std::vector<HostSpec> hosts;
  for (std::int32_t i = 0; i < kHosts; ++i) {
    hosts.push_back({.name = "host-" + std::to_string(i),
                     .total = kTotal,
                     .vm_used = {.vcpus = kTotal.vcpus * (i % 61) / 61,
                                 .memory_mb = kTotal.memory_mb * (i * 7 % 61) / 61},
                     .num_vms = i % 61});
  }
  return HostTable(hosts);
}

void offer(benchmark::State& state, const std::string& policy, bool ordered) {
  const HostTable hosts = nearly_full();
  const auto chain = make_chain({.label = policy, .weighers = {{.name = policy}}}, ChainSide::kVm);
  const auto ranking = ordered ? chain->make_ranking(hosts) : chain->make_scan(hosts);
  const Request request{.vcpus = 2, .memory_mb = 4096};
  for (auto _ : state) {
    benchmark::DoNotOptimize(make_offer(hosts.view(), *ranking, request, kOfferTopN));
  }
}

BENCHMARK_CAPTURE(offer, UTIL_by_scan, "UTIL", false);
BENCHMARK_CAPTURE(offer, COS_by_scan, "COS", false);
BENCHMARK_CAPTURE(offer, DPD_by_scan, "DPD", false);
BENCHMARK_CAPTURE(offer, UTIL_by_order, "UTIL", true);
BENCHMARK_CAPTURE(offer, COS_by_order, "COS", true);
BENCHMARK_CAPTURE(offer, DPD_by_order, "DPD", true);

}  // namespace
}  // namespace cospot
