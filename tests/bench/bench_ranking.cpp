// What a VM decision costs: filter + weigh + the top N, by keeping hosts in order of their key and
// by scanning them all, in a nearly full datacenter of the released workloads' hosts. One iteration
// is a departure, a decision and a placement, so that the datacenter stays nearly full.
//
//   bench_ranking --benchmark_filter='COS.*top_8'
//
// `three_types` has hosts of three of the released workloads' types, in turn.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "core/ranking/chain.hpp"
#include "sim_harness/provider/run/allocator.hpp"

namespace cospot {
namespace {

constexpr ResourceVector kHost{10400, 2250, 0};
constexpr std::array<ResourceVector, 3> kTypes{
    {{10400, 2250, 0}, {9600, 2250, 0}, {6400, 3072, 0}}};

/// Whether all hosts are alike.
enum class Hosts { kUniform, kThreeTypes };

HostTable make_hosts(std::size_t count, Hosts hosts) {
  if (hosts == Hosts::kUniform) return HostTable::uniform(count, kHost);
  std::vector<HostSpec> specs;
  for (std::size_t i = 0; i < count; ++i) {
    specs.push_back({.name = "host", .total = kTypes[i % kTypes.size()]});
  }
  return HostTable(specs);
}

/// The most requested sizes of the released workloads (vcpus, memory_mb).
constexpr std::array<ResourceVector, 8> kFlavors{{{200, 28, 0},
                                                  {100, 14, 0},
                                                  {400, 56, 0},
                                                  {100, 32, 0},
                                                  {200, 64, 0},
                                                  {800, 112, 0},
                                                  {42, 7, 0},
                                                  {800, 224, 0}}};

struct PlacedVm {
  HostIndex host = 0;
  ResourceVector size;
};

/// Hosts full of VMs but for a random rest, one in eight with a spot beside them.
class NearlyFullDatacenter {
 public:
  NearlyFullDatacenter(std::size_t count, Hosts hosts) : table_(make_hosts(count, hosts)) {
    for (HostIndex host = 0; host < count; ++host) fill(host);
  }

  HostTable& table() { return table_; }
  Random& random() { return random_; }

  [[nodiscard]] ResourceVector random_flavor() { return kFlavors[random_.below(kFlavors.size())]; }

  void place(HostIndex host, const ResourceVector& size) {
    table_.add_vm(host, size);
    vms_.push_back({host, size});
  }

  PlacedVm remove_random_vm() {
    std::swap(vms_[random_.below(vms_.size())], vms_.back());
    const PlacedVm vm = vms_.back();
    vms_.pop_back();
    table_.remove_vm(vm.host, vm.size);
    return vm;
  }

 private:
  void fill(HostIndex host) {
    for (int misfits = 0; misfits < 3;) {
      const ResourceVector size = random_flavor();
      if (!size.fits_in(table_.free(host, Sees::kVms))) {
        ++misfits;
      } else {
        place(host, size);
      }
    }
    const ResourceVector spot{100, 14, 0};
    if (random_.below(8) == 0 && spot.fits_in(table_.free(host, Sees::kVmsAndSpots))) {
      table_.add_spot(host, spot);
    }
  }

  HostTable table_;
  Random random_{1};
  std::vector<PlacedVm> vms_;
};

void decide(benchmark::State& state, const std::string& policy, bool by_order, Hosts hosts) {
  NearlyFullDatacenter datacenter(static_cast<std::size_t>(state.range(0)), hosts);
  const auto top = static_cast<int>(state.range(1));
  const auto chain = make_chain({.label = policy, .weighers = {{.name = policy}}}, ChainSide::kVm);
  const auto ranking =
      by_order ? chain->make_ranking(datacenter.table()) : chain->make_scan(datacenter.table());
  for (auto _ : state) {
    ranking->host_changed(datacenter.remove_random_vm().host);
    const ResourceVector size = datacenter.random_flavor();
    ranking->start({.vcpus = size.vcpus, .memory_mb = size.memory_mb});
    HostIndex best = kNoHost;
    for (int i = 0; i < top; ++i) {
      const HostIndex host = ranking->next();
      if (i == 0) best = host;
      if (host == kNoHost) break;
    }
    benchmark::DoNotOptimize(best);
    if (best == kNoHost) continue;
    datacenter.place(best, size);
    ranking->host_changed(best);
  }
}

void register_all() {
  for (const char* policy : {"UTIL", "COS", "DPD"}) {
    for (const bool by_order : {true, false}) {
      for (const Hosts hosts : {Hosts::kUniform, Hosts::kThreeTypes}) {
        const std::string name = std::string(policy) + (by_order ? "_by_order" : "_by_scan") +
                                 (hosts == Hosts::kUniform ? "" : "_three_types");
        benchmark::RegisterBenchmark(
            name.c_str(), [=](benchmark::State& state) { decide(state, policy, by_order, hosts); })
            ->ArgNames({"hosts", "top"})
            ->ArgsProduct({{530, 10'000, 100'000, 1'000'000}, {1, 8, 32}});
      }
    }
  }
}

[[maybe_unused]] const bool kRegistered = (register_all(), true);

}  // namespace
}  // namespace cospot
