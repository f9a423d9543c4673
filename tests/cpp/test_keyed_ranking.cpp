#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "core/ranking/batch_ranking.hpp"
#include "core/ranking/chain.hpp"
#include "filters/availability_zone_filter.hpp"
#include "filters/feasibility_filter.hpp"
#include "filters/spot_avoiding_filter.hpp"
#include "tests/cpp/engine_checks.hpp"
#include "tests/cpp/plateau_weighers.hpp"
#include "weighers/registry.hpp"

namespace cospot {
namespace {

/// A datacenter that places, removes and evicts at random, so that hosts pass through every state.
class RandomDatacenter {
 public:
  RandomDatacenter(std::size_t hosts, const ResourceVector& total, std::uint64_t seed)
      : RandomDatacenter(HostTable::uniform(hosts, total), seed) {}

  RandomDatacenter(HostTable hosts, std::uint64_t seed)
      : total_(hosts.largest_total()),
        random_(seed),
        table_(std::move(hosts)),
        vms_(table_.size()),
        spots_(table_.size()) {}

  [[nodiscard]] const HostTable& table() const { return table_; }

  /// Sizes from few shares of a host, so that parallel vectors and equal keys are common.
  [[nodiscard]] Request random_request() {
    const auto share = [this](ResourceAmount amount) {
      const auto parts = static_cast<ResourceAmount>(1 + random_.below(6));
      return std::max(amount > 0 ? 1 : 0, amount * parts / 40);
    };
    return {.vcpus = share(total_.vcpus),
            .memory_mb = share(total_.memory_mb),
            .disk_gb = random_.below(2) == 0 ? 0 : share(total_.disk_gb)};
  }

  [[nodiscard]] std::size_t below(std::size_t limit) { return random_.below(limit); }

  /// Changes one host and returns it.
  HostIndex change() { return change(static_cast<HostIndex>(random_.below(table_.size()))); }

  /// Changes this host and returns it.
  HostIndex change(HostIndex host) {
    const Request request = random_request();
    const std::uint64_t action = random_.below(5);
    if (action < 2 && request.resources().fits_in(table_.free(host, Sees::kVmsAndSpots))) {
      table_.add_vm(host, request.resources());
      vms_[host].push_back(request.resources());
    } else if (action == 2 && request.resources().fits_in(table_.free(host, Sees::kVmsAndSpots))) {
      table_.add_spot(host, request.resources());
      spots_[host].push_back(request.resources());
    } else if (action == 3 && !vms_[host].empty()) {
      table_.remove_vm(host, vms_[host].back());
      vms_[host].pop_back();
    } else if (!spots_[host].empty()) {
      table_.remove_spot(host, spots_[host].back());
      spots_[host].pop_back();
    }
    return host;
  }

  /// Puts a VM on a host whose spots make room for it.
  void place(HostIndex host, const ResourceVector& vm) {
    while (!vm.fits_in(table_.free(host, Sees::kVmsAndSpots)) && !spots_[host].empty()) {
      table_.remove_spot(host, spots_[host].back());
      spots_[host].pop_back();
    }
    table_.add_vm(host, vm);
    vms_[host].push_back(vm);
  }

 private:
  ResourceVector total_;
  Random random_;
  HostTable table_;
  std::vector<std::vector<ResourceVector>> vms_;
  std::vector<std::vector<ResourceVector>> spots_;
};

Chain make_chain_of(std::unique_ptr<Weigher> weigher, Sees feasible, bool avoid_spots,
                    bool with_zones = false) {
  std::vector<std::unique_ptr<Filter>> filters;
  if (feasible == Sees::kVms) {
    filters.push_back(std::make_unique<VmFeasibilityFilter>(PluginOptions{}));
  } else {
    filters.push_back(std::make_unique<SpotFeasibilityFilter>(PluginOptions{}));
  }
  if (avoid_spots) filters.push_back(std::make_unique<SpotAvoidingFilter>(PluginOptions{}));
  if (with_zones) filters.push_back(std::make_unique<AvailabilityZoneFilter>(PluginOptions{}));
  std::vector<Chain::WeighedBy> weighers;
  weighers.push_back({std::move(weigher), 1.0});
  return {std::move(filters), std::move(weighers)};
}

/// `weigher`: a name, or sUTIL:used with its measure.
Chain make_chain_of(const std::string& weigher, Sees feasible, bool avoid_spots) {
  const WeigherSpec spec = chain_of(weigher).weighers[0];
  return make_chain_of(make_plugin(weigher_registry(), "weigher", spec.name, spec.options),
                       feasible, avoid_spots);
}

std::vector<HostIndex> walk(HostRanking& ranking, const Request& request, std::size_t most) {
  std::vector<HostIndex> hosts;
  ranking.start(request);
  while (hosts.size() < most) {
    const HostIndex host = ranking.next();
    if (host == kNoHost) break;
    hosts.push_back(host);
  }
  return hosts;
}

/// `expected` is the walk's beginning.
void check_first_without_eviction(const HostTable& hosts, HostRanking& ranking,
                                  const Request& request, const std::vector<HostIndex>& expected) {
  ranking.start(request);
  const HostIndex first = ranking.next();
  for (const std::size_t within : {1U, 2U, 3U, 8U, 32U}) {
    HostIndex wanted = kNoHost;
    for (std::size_t i = 0; i < std::min(within, expected.size()) && wanted == kNoHost; ++i) {
      if (request.resources().fits_in(hosts.free(expected[i], Sees::kVmsAndSpots))) {
        wanted = expected[i];
      }
    }
    REQUIRE(ranking.first_without_eviction(within) == wanted);
  }
  // The walk goes on as if nothing had been asked.
  if (expected.size() > 1) {
    REQUIRE(first == expected[0]);
    REQUIRE(ranking.next() == expected[1]);
  }
}

struct Shape {
  const char* what;
  std::size_t hosts;
  ResourceVector total;
  int warm_up;  // changes before the first walk
  int walks;
  std::size_t longest_walk;
};

/// Walks the ranking and the scan side by side while hosts change, for one chain.
void check_against_scan(const Shape& shape, HostTable hosts, const Chain& chain,
                        std::uint64_t seed) {
  RandomDatacenter datacenter(std::move(hosts), seed);
  const std::unique_ptr<HostRanking> ranking = chain.make_ranking(datacenter.table());
  const std::unique_ptr<HostRanking> scan = chain.make_scan(datacenter.table());
  for (int i = 0; i < shape.warm_up; ++i) ranking->host_changed(datacenter.change());
  for (int i = 0; i < shape.walks; ++i) {
    const Request request = datacenter.random_request();
    const std::vector<HostIndex> expected = walk(*scan, request, shape.longest_walk);
    REQUIRE(walk(*ranking, request, shape.longest_walk) == expected);
    check_first_without_eviction(datacenter.table(), *ranking, request, expected);
    for (int j = 0; j < 5; ++j) ranking->host_changed(datacenter.change());
  }
}

void check_against_scan(const Shape& shape, const Chain& chain, std::uint64_t seed) {
  check_against_scan(shape, HostTable::uniform(shape.hosts, shape.total), chain, seed);
}

/// Hosts of three sizes, in some places, that follow each other at random.
HostTable mixed_hosts(std::size_t count, const ResourceVector& total, std::uint64_t seed,
                      PlaceIndex num_places = 1) {
  Random random(seed);
  std::vector<HostSpec> specs;
  for (std::size_t i = 0; i < count; ++i) {
    const auto part = static_cast<ResourceAmount>(1 + random.below(3));
    const ResourceVector size{total.vcpus * part / 3, total.memory_mb * (4 - part) / 3,
                              total.disk_gb};
    specs.push_back({.name = "host",
                     .total = size,
                     .place = num_places > 1 ? static_cast<PlaceIndex>(random.below(num_places))
                                             : PlaceIndex{0}});
  }
  HostPlaces places(num_places);
  for (std::size_t i = 0; i < places.size(); ++i) places[i].zone = "zone" + std::to_string(i);
  return HostTable(specs, std::make_shared<const HostPlaces>(places));
}

/// For both modes of feasibility, with and without SAF.
template <class Check>
void for_every_chain(const Check& check) {
  for (const Sees feasible : {Sees::kVms, Sees::kVmsAndSpots}) {
    for (const bool avoid_spots : {false, true}) {
      CAPTURE(feasible);
      CAPTURE(avoid_spots);
      check(feasible, avoid_spots);
    }
  }
}

/// Each registered weigher on each shape, every chain with a seed of its own.
template <class Check>
void for_every_weigher(const std::vector<Shape>& shapes, const Check& check) {
  for (const Shape& shape : shapes) {
    CAPTURE(shape.what);
    std::uint64_t seed = 1;
    for (const RegistryEntry<Weigher>& entry : weigher_registry()) {
      CAPTURE(entry.info.name);
      for_every_chain([&](Sees feasible, bool avoid_spots) {
        check(shape, make_chain_of(std::string(entry.info.name), feasible, avoid_spots), seed++);
      });
    }
  }
}

/// The same for weighers that give many hosts the same weight.
template <class Check>
void for_every_plateau(const std::vector<Shape>& shapes, bool with_zones, const Check& check) {
  std::uint64_t seed = 1;
  for (const Shape& shape : shapes) {
    CAPTURE(shape.what);
    for (const PlateauWeigher& weigher : plateau_weighers()) {
      CAPTURE(weigher.what);
      for_every_chain([&](Sees feasible, bool avoid_spots) {
        check(shape, make_chain_of(weigher.make(shape.total), feasible, avoid_spots, with_zones),
              ++seed);
      });
    }
  }
}

TEST_CASE("GroupedRanking: walks hosts of several sizes in the order of the scan") {
  const std::vector<Shape> shapes{
      {"whole walks", 37, {40, 30, 0}, 300, 150, 1000},
      // With SAF the only host without evictions is often the first one of those without VMs.
      {"few hosts of a size, disk", 7, {40, 30, 20}, 150, 400, 1000},
      {"disk", 20, {40, 30, 50}, 150, 100, 1000},
      {"released workloads' host", 300, {10400, 2250, 0}, 3000, 60, 40},
      {"many buckets", 5000, {40, 30, 0}, 30000, 40, 60},
      {"many buckets, whole walks", 4500, {400, 90, 20}, 30000, 4, 5000},
  };
  std::uint64_t seed = 1;
  for (const Shape& shape : shapes) {
    CAPTURE(shape.what);
    for (const char* weigher : {"DPD", "sDPD", "vmaDPD", "UTIL", "UTIL:used", "UTIL:fraction",
                                "vmaUTIL:fraction", "COS"}) {
      CAPTURE(weigher);
      for_every_chain([&](Sees feasible, bool avoid_spots) {
        check_against_scan(shape, mixed_hosts(shape.hosts, shape.total, seed),
                           make_chain_of(weigher, feasible, avoid_spots), seed);
        ++seed;
      });
    }
  }
}

TEST_CASE("KeyedRanking: walks hosts in the order of the scan, for every registered weigher") {
  const std::vector<Shape> shapes{
      {"one bucket, whole walks", 37, {40, 30, 0}, 300, 150, 1000},
      {"one bucket, disk", 20, {40, 30, 50}, 150, 100, 1000},
      {"released workloads' host", 300, {10400, 2250, 0}, 3000, 60, 40},
      {"keys that need doubles, rounded weights that collide", 60, {96, 1 << 20, 0}, 500, 80, 1000},
      {"largest amounts", 30, {kMaxResourceAmount, kMaxResourceAmount, 0}, 200, 60, 1000},
      {"many buckets", 5000, {40, 30, 0}, 30000, 40, 60},
      {"many buckets, mostly idle", 3000, {10400, 2250, 0}, 1500, 30, 60},
      {"many buckets, whole walks", 1500, {400, 90, 20}, 12000, 4, 5000},
  };
  for_every_weigher(shapes, [](const Shape& shape, const Chain& chain, std::uint64_t seed) {
    check_against_scan(shape, chain, seed);
  });
}

TEST_CASE("KeyedRanking, GroupedRanking: no host without a disk has room for a request with one") {
  for (const std::size_t count : {20U, 1500U, 6000U}) {
    for (const char* weigher : {"UTIL", "COS", "DPD"}) {
      const Chain chain = make_chain_of(weigher, Sees::kVms, true);
      for (const HostTable& hosts :
           {HostTable::uniform(count, {40, 30, 0}), mixed_hosts(count, {40, 30, 0}, 7)}) {
        const auto ranking = chain.make_ranking(hosts);
        CHECK(walk(*ranking, {.vcpus = 1, .memory_mb = 1, .disk_gb = 1}, 5).empty());
        CHECK(walk(*ranking, {.vcpus = 1, .memory_mb = 1}, 5).size() == 5);
      }
    }
  }
}

/// One request again and again. Between two walks, which read on for one or several hosts, mostly
/// the first host changes: the request is placed there, or something else comes or goes.
void check_repeats_against_scan(const Shape& shape, const Chain& chain, std::uint64_t seed) {
  RandomDatacenter datacenter(shape.hosts, shape.total, seed);
  const std::unique_ptr<HostRanking> ranking = chain.make_ranking(datacenter.table());
  const std::unique_ptr<HostRanking> scan = chain.make_scan(datacenter.table());
  for (int i = 0; i < shape.warm_up; ++i) ranking->host_changed(datacenter.change());
  for (int i = 0; i < shape.walks; ++i) {
    const Request request = datacenter.random_request();
    for (std::size_t repeat = 0; repeat < 12; ++repeat) {
      const std::size_t longest = datacenter.below(3) == 0 ? shape.longest_walk : 1;
      const std::vector<HostIndex> expected = walk(*scan, request, longest);
      REQUIRE(walk(*ranking, request, longest) == expected);
      if (expected.empty()) break;
      const std::size_t action = datacenter.below(8);
      const HostIndex host = action == 0 ? expected.back() : expected.front();
      if (action < 6) {
        datacenter.place(host, request.resources());
      } else {
        datacenter.change(host);
      }
      ranking->host_changed(host);
    }
  }
}

TEST_CASE("KeyedRanking: a repeated request walks in the order of the scan") {
  const std::vector<Shape> shapes{
      {"few hosts", 12, {40, 30, 0}, 60, 60, 5},
      {"few hosts, disk", 12, {40, 30, 50}, 60, 60, 5},
      {"released workloads' host", 200, {10400, 2250, 0}, 1500, 30, 4},
      {"keys that need doubles", 40, {96, 1 << 20, 0}, 250, 40, 6},
      {"many buckets", 2000, {40, 30, 0}, 9000, 8, 6},
  };
  for_every_weigher(shapes, check_repeats_against_scan);
}

TEST_CASE("KeyedRanking: hosts with equal weights walk in the order of the scan") {
  const std::vector<Shape> shapes{
      {"few hosts", 9, {40, 30, 0}, 60, 150, 1000},
      {"whole walks, disk", 37, {40, 30, 50}, 300, 80, 1000},
      {"released workloads' host", 200, {10400, 2250, 0}, 2000, 30, 40},
      {"many buckets", 2000, {400, 900, 0}, 12000, 6, 60},
  };
  for_every_plateau(shapes, false, [](const Shape& shape, const Chain& chain, std::uint64_t seed) {
    check_against_scan(shape, chain, seed);
    check_against_scan(shape, mixed_hosts(shape.hosts, shape.total, seed), chain, seed);
  });
}

TEST_CASE("GroupedRanking: hosts with equal weights walk in the order of the scan") {
  const std::vector<Shape> shapes{
      {"few hosts", 14, {40, 30, 20}, 100, 150, 1000},
      {"released workloads' host", 150, {10400, 2250, 0}, 1500, 20, 40},
      {"many buckets", 2500, {400, 90, 0}, 12000, 3, 60},
  };
  for_every_plateau(shapes, true, [](const Shape& shape, const Chain& chain, std::uint64_t seed) {
    check_against_scan(shape, mixed_hosts(shape.hosts, shape.total, seed, 2), chain, seed);
  });
}

TEST_CASE("KeyedRanking: among hosts with equal weights a repeated request walks as in the scan") {
  const std::vector<Shape> shapes{
      {"few hosts, disk", 12, {40, 30, 50}, 60, 40, 5},
      {"released workloads' host", 150, {10400, 2250, 0}, 1000, 10, 4},
      {"many buckets", 1500, {40, 30, 0}, 7000, 3, 6},
  };
  for_every_plateau(shapes, false, check_repeats_against_scan);
}

TEST_CASE("KeyedRanking: counts no host as better that is only as good") {
  // All weigh 0; the keys are -8, -10, -1 and -9. Beside the spots, hosts 0 and 3 have room for 8
  // of memory: 0 is the first of the four, the higher key of 2 does not help. Only 3 has room for
  // 9, and ranks behind 0 and 2 with higher keys and 1 with a lower one.
  const HostTable hosts({{.name = "a", .total = {10, 10}, .spot_used = {1, 2}, .num_spots = 1},
                         {.name = "b", .total = {10, 10}, .spot_used = {10, 0}, .num_spots = 1},
                         {.name = "c", .total = {10, 10}, .spot_used = {1, 9}, .num_spots = 1},
                         {.name = "d", .total = {10, 10}, .spot_used = {0, 1}, .num_spots = 1}});
  const auto first_of = [&](ResourceAmount memory_mb, std::size_t within) {
    const Chain chain =
        make_chain_of(std::make_unique<SteppedWeigher<std::int32_t>>(100), Sees::kVms, false);
    const std::unique_ptr<HostRanking> ranking = chain.make_ranking(hosts);
    ranking->start({.vcpus = 1, .memory_mb = memory_mb});
    return ranking->first_without_eviction(within);
  };
  CHECK(first_of(8, 1) == 0);
  CHECK(first_of(9, 3) == kNoHost);
  CHECK(first_of(9, 4) == 3);
}

TEST_CASE("Chain: keeps the paper's policies in order and scans for what has no key") {
  const HostTable hosts = HostTable::uniform(3, {40, 30, 0});
  const auto scans = [&](const std::string& weigher, Sees feasible) {
    const Chain chain = make_chain_of(weigher, feasible, feasible == Sees::kVms);
    const std::unique_ptr<HostRanking> ranking = chain.make_ranking(hosts);
    return dynamic_cast<BatchRanking*>(ranking.get()) != nullptr;
  };
  for (const char* vm : {"UTIL", "COS", "DPD", "FirstFit"}) CHECK_FALSE(scans(vm, Sees::kVms));
  for (const char* spot : {"sUTIL", "sCOS", "sDPD", "vmaUTIL", "vmaCOS", "vmaDPD"}) {
    CHECK_FALSE(scans(spot, Sees::kVmsAndSpots));
  }
  CHECK(scans("RAMWeigher", Sees::kVms));
}

TEST_CASE("KeyedRanking: a clone follows the copy of the table, not the original") {
  RandomDatacenter datacenter(25, {40, 30, 0}, 5);
  const Chain chain = make_chain_of("COS", Sees::kVms, true);
  const std::unique_ptr<HostRanking> ranking = chain.make_ranking(datacenter.table());
  for (int i = 0; i < 200; ++i) ranking->host_changed(datacenter.change());
  HostTable copy = datacenter.table();
  const std::unique_ptr<HostRanking> clone = ranking->clone(copy);
  const std::unique_ptr<HostRanking> scan = chain.make_scan(copy);
  for (int i = 0; i < 50; ++i) ranking->host_changed(datacenter.change());
  const Request request = datacenter.random_request();
  CHECK(walk(*clone, request, 100) == walk(*scan, request, 100));
}

}  // namespace
}  // namespace cospot
