// How long the evictors take for one plan, by the number of spots on the host and the kind of host.
// The kinds called hard_* are made to defeat a search; no workload has such spots.
// The time of a row is the mean over its hosts. The counter worst_us is the slowest host's time in
// microseconds of the processor, the least of three runs so that other programs do not count.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "evictors/registry.hpp"

namespace cospot {
namespace {

constexpr SimTime kNow = 3 * kDay;
constexpr std::size_t kHosts = 1000;
constexpr std::size_t kHardHosts = 20;

struct Host {
  std::vector<RunningSpot> spots;
  ResourceVector shortfall;

  [[nodiscard]] EvictionCase eviction() const { return {spots, shortfall, kNow}; }
};

ResourceAmount amount(Random& random, ResourceAmount least, ResourceAmount most) {
  return least +
         static_cast<ResourceAmount>(random.below(static_cast<std::uint64_t>(most - least) + 1));
}

/// An end time from a minute to 87 days ahead, the logarithm uniform: most spots are short.
SimTime heavy_tailed_end(Random& random) {
  const double minutes = std::exp(random.uniform() * std::log(87.0 * 24 * 60));
  return kNow + SimTime(std::llround(minutes * 60e6));
}

/// vcpus and memory of spots as the CoSpot workloads have them.
constexpr std::array<std::array<ResourceAmount, 2>, 10> kFlavors{{{100, 14},
                                                                  {200, 28},
                                                                  {400, 56},
                                                                  {800, 112},
                                                                  {800, 64},
                                                                  {1600, 128},
                                                                  {100, 32},
                                                                  {200, 64},
                                                                  {800, 224},
                                                                  {800, 256}}};

RunningSpot flavored(Random& random, SimTime end) {
  const auto& flavor = kFlavors[random.below(kFlavors.size())];
  return {.instance = 0,
          .resources = {.vcpus = flavor[0], .memory_mb = flavor[1]},
          .placed_at = SimTime(0),
          .ends_at = end};
}

RunningSpot sized(Random& random, int scarce, SimTime end) {
  return {.instance = 0,
          .resources = {.vcpus = amount(random, 1, 1000),
                        .memory_mb = scarce > 1 ? amount(random, 1, 500) : 0,
                        .disk_gb = scarce > 2 ? amount(random, 1, 300) : 0},
          .placed_at = SimTime(0),
          .ends_at = end};
}

/// Within five microseconds, 80 days ahead.
SimTime nearly_the_same_end(Random& random) {
  return kNow + 80 * kDay - SimTime(amount(random, 0, 5));
}

RunningSpot odd_sized(Random& random, const std::vector<ResourceVector>& sizes) {
  return {.instance = 0,
          .resources = sizes[random.below(sizes.size())],
          .placed_at = SimTime(0),
          .ends_at = nearly_the_same_end(random)};
}

struct Family {
  const char* name;
  std::function<RunningSpot(Random&)> spot;

  [[nodiscard]] std::size_t num_hosts() const {
    return std::string_view(name).starts_with("hard_") ? kHardHosts : kHosts;
  }
};

const std::array kFamilies{
    // Random sizes and lives.
    Family{"random_1", [](Random& r) { return sized(r, 1, heavy_tailed_end(r)); }},
    Family{"random_2", [](Random& r) { return sized(r, 2, heavy_tailed_end(r)); }},
    Family{"random_3", [](Random& r) { return sized(r, 3, heavy_tailed_end(r)); }},
    // The same life for all: cost is vcpus, so the first is the subset-sum problem.
    Family{"subset_sum", [](Random& r) { return sized(r, 1, kNever); }},
    Family{"correlated_2", [](Random& r) { return sized(r, 2, kNever); }},
    Family{"correlated_3", [](Random& r) { return sized(r, 3, kNever); }},
    Family{"identical",
           [](Random& r) {
             RunningSpot spot{
                 .instance = 0, .resources = {}, .placed_at = SimTime(0), .ends_at = kNever};
             const std::array<ResourceVector, 3> kinds{
                 {{300, 170, 90}, {500, 130, 20}, {700, 410, 60}}};
             spot.resources = kinds[r.below(kinds.size())];
             return spot;
           }},
    // Real flavors, with every mixture of lives.
    Family{"flavors", [](Random& r) { return flavored(r, heavy_tailed_end(r)); }},
    Family{"flavors_mixed",
           [](Random& r) { return flavored(r, r.below(2) == 0 ? kNever : heavy_tailed_end(r)); }},
    Family{"flavors_never", [](Random& r) { return flavored(r, kNever); }},
    // What a search may take long for: see find_cheapest_eviction().
    Family{"flavors_disk_never",
           [](Random& r) {
             RunningSpot spot = flavored(r, kNever);
             spot.resources.disk_gb = amount(r, 1, 300);
             return spot;
           }},
    Family{"hard_subset_sum_20_bits",
           [](Random& r) {
             RunningSpot spot = sized(r, 1, kNever);
             spot.resources.vcpus = amount(r, 1, 1 << 20);
             return spot;
           }},
    Family{"hard_odd_sizes_3",
           [](Random& r) {
             return odd_sized(r, {{{433, 311, 0}, {577, 103, 0}, {811, 401, 0}}});
           }},
    Family{"hard_odd_sizes_6",
           [](Random& r) {
             return odd_sized(r, {{{211, 97, 31},
                                   {433, 311, 210},
                                   {577, 103, 170},
                                   {811, 401, 19},
                                   {907, 53, 83},
                                   {953, 457, 271}}});
           }},
    Family{"hard_near_equal_lives_1",
           [](Random& r) { return sized(r, 1, nearly_the_same_end(r)); }},
    Family{"hard_near_equal_lives_3",
           [](Random& r) { return sized(r, 3, nearly_the_same_end(r)); }},
    Family{"hard_cost_is_size_3",
           [](Random& r) {
             RunningSpot spot = sized(r, 3, kNow);
             const ResourceVector& size = spot.resources;
             const std::int64_t cost =
                 std::int64_t{1000} * (size.vcpus + size.memory_mb + size.disk_gb);
             spot.ends_at = kNow + SimTime(cost / size.vcpus);
             return spot;
           }},
};

ResourceAmount part(Random& random, std::int64_t whole, double share) {
  const double wobble = 0.2 * (random.uniform() - 0.5);
  return static_cast<ResourceAmount>(static_cast<double>(whole) *
                                     std::clamp(share + wobble, 0.01, 0.97));
}

/// From nearly nothing to nearly all of what the spots hold is missing.
std::vector<Host> make_hosts(const Family& family, std::size_t spots) {
  Random random(spots);
  std::vector<Host> hosts(family.num_hosts());
  for (Host& host : hosts) {
    ResourceVector total;
    for (std::size_t i = 0; i < spots; ++i) {
      host.spots.push_back(family.spot(random));
      total += host.spots.back().resources;
    }
    const double missing = random.uniform();
    host.shortfall = {part(random, total.vcpus, missing), part(random, total.memory_mb, missing),
                      part(random, total.disk_gb, missing)};
  }
  return hosts;
}

/// Gives every spot a number of its own and a time of placement, for an evictor that looks at ages.
void place_over_time(std::vector<Host>& hosts) {
  Random random(1);
  InstanceIndex next = 0;
  for (Host& host : hosts) {
    std::vector<SimTime> times(host.spots.size());
    for (SimTime& time : times) {
      time =
          SimTime(static_cast<std::int64_t>(random.uniform() * static_cast<double>(kNow.count())));
    }
    std::sort(times.begin(), times.end());
    for (std::size_t i = 0; i < times.size(); ++i) {
      host.spots[i].instance = next++;
      host.spots[i].placed_at = times[i];
    }
  }
}

/// The evictor as a run has it: LPML has evaluated its network before.
std::unique_ptr<const Evictor> make_prepared(const char* name, const std::vector<Host>& hosts) {
  std::unique_ptr<const Evictor> evictor = make_plugin(evictor_registry(), "evictor", name, {});
  std::unique_ptr<const Evictor> prepared = evictor->prepared_for([&] {
    std::vector<SpotTraits> traits;
    for (const Host& host : hosts) {
      for (const RunningSpot& spot : host.spots) {
        traits.push_back({.instance = spot.instance,
                          .resources = spot.resources,
                          .requested_at = spot.placed_at});
      }
    }
    return traits;
  });
  return prepared != nullptr ? std::move(prepared) : std::move(evictor);
}

double worst_microseconds(const Evictor& evictor, const std::vector<Host>& hosts) {
  double worst = 0;
  EvictionPlan plan;
  for (const Host& host : hosts) {
    double least = kNoScoreLimit;
    for (int run = 0; run < 3; ++run) {
      const std::clock_t start = std::clock();
      benchmark::DoNotOptimize(evictor.make_plan(host.eviction(), kNoScoreLimit, plan));
      const auto spent = static_cast<double>(std::clock() - start);
      least = std::min(least, spent * 1e6 / CLOCKS_PER_SEC);
    }
    worst = std::max(worst, least);
  }
  return worst;
}

void plan_all(benchmark::State& state, const char* evictor_name, const Family& family,
              std::size_t spots) {
  std::vector<Host> hosts = make_hosts(family, spots);
  place_over_time(hosts);
  const auto evictor = make_prepared(evictor_name, hosts);
  EvictionPlan plan;
  std::size_t next = 0;
  for ([[maybe_unused]] auto _ : state) {
    const Host& host = hosts[next];
    next = next + 1 == hosts.size() ? 0 : next + 1;
    benchmark::DoNotOptimize(evictor->make_plan(host.eviction(), kNoScoreLimit, plan));
  }
  state.counters["worst_us"] = worst_microseconds(*evictor, hosts);
}

/// A spot that suffices alone: the everyday case, which must cost next to nothing.
void plan_one_of(benchmark::State& state, const char* evictor_name) {
  Random random(1);
  std::vector<Host> hosts(1);
  Host& host = hosts.front();
  host.shortfall = {.vcpus = 100, .memory_mb = 14};
  for (int i = 0; i < state.range(0); ++i) {
    host.spots.push_back(flavored(random, heavy_tailed_end(random)));
  }
  place_over_time(hosts);
  const auto evictor = make_prepared(evictor_name, hosts);
  EvictionPlan plan;
  for ([[maybe_unused]] auto _ : state) {
    benchmark::DoNotOptimize(evictor->make_plan(host.eviction(), kNoScoreLimit, plan));
  }
}

void register_all(const char* evictor) {
  for (const Family& family : kFamilies) {
    for (const std::size_t spots : {std::size_t{4}, std::size_t{16}, std::size_t{64}}) {
      const std::string name =
          std::string(evictor) + "/" + family.name + "/" + std::to_string(spots);
      benchmark::RegisterBenchmark(name.c_str(), [evictor, &family, spots](benchmark::State& s) {
        plan_all(s, evictor, family, spots);
      });
    }
  }
  const std::string name = std::string(evictor) + "/one_suffices";
  benchmark::RegisterBenchmark(name.c_str(),
                               [evictor](benchmark::State& s) { plan_one_of(s, evictor); })
      ->Arg(1)
      ->Arg(4)
      ->Arg(12);
}

[[maybe_unused]] const bool kRegistered = [] {
  for (const char* evictor : {"FIFO", "YJF", "LPO", "LPML"}) register_all(evictor);
  return true;
}();

}  // namespace
}  // namespace cospot
