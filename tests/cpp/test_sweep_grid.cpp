#include <doctest/doctest.h>

#include <set>
#include <string>

#include "core/errors.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sweep_fixtures.hpp"

namespace cospot {
namespace {

/// A sweep of which only the lengths of the axes matter.
Sweep sweep_of(std::size_t workloads, std::size_t sizes, std::size_t vm, std::size_t spot,
               std::size_t evictors, std::size_t saf, std::size_t otn) {
  Sweep sweep;
  sweep.workloads.resize(workloads);
  sweep.sizes.resize(sizes);
  sweep.vm.resize(vm);
  sweep.spot.resize(spot);
  sweep.evictors.resize(evictors);
  sweep.saf.resize(saf);
  sweep.otn.resize(otn);
  return sweep;
}

TEST_CASE("Grid of a sweep: nested loops in grid order give the run indices 0, 1, 2, ...") {
  const Grid grid = grid_of_sweep(sweep_of(2, 3, 2, 4, 3, 2, 5));
  CHECK(grid.run_count() == 2 * 3 * 2 * 4 * 3 * 2 * 5);
  CHECK(grid.group_count() == 2 * 3 * 2 * 4);
  std::size_t index = 0;
  std::size_t group_index = 0;
  for (std::size_t w = 0; w < 2; ++w) {
    for (std::size_t h = 0; h < 3; ++h) {
      for (std::size_t v = 0; v < 2; ++v) {
        for (std::size_t s = 0; s < 4; ++s) {
          const RunGroup group = grid.group(group_index);
          CHECK(group.index == group_index++);
          CHECK(group.first_run == index);
          CHECK(group.run_count == 3 * 2 * 5);
          for (std::size_t e = 0; e < 3; ++e) {
            for (std::size_t f = 0; f < 2; ++f) {
              for (std::size_t o = 0; o < 5; ++o) {
                const Coordinates run{w, h, v, s, e, f, o};
                REQUIRE(grid.coordinates(index) == run);
                REQUIRE(grid.run_index(run) == index++);
              }
            }
          }
        }
      }
    }
  }
  CHECK(index == grid.run_count());
}

TEST_CASE("Grid of a sweep: the paper's grid has 64,800 runs, and absurd grids are refused") {
  CHECK(grid_of_sweep(sweep_of(20, 5, 3, 6, 3, 2, 6)).run_count() == 64'800);
  // 3000^7 = 2.2e24 would overflow 64 bits.
  CHECK(contains(error_text<ConfigError>([] {
                   (void)grid_of_sweep(sweep_of(3000, 3000, 3000, 3000, 3000, 3000, 3000));
                 }),
                 "more than 100000000 runs"));
}

TEST_CASE("run_settings_at: takes each axis at its coordinate") {
  const Sweep sweep = small_sweep();
  const RunSettings settings =
      run_settings_at(provider_table().at(sweep, {1, 1, 0, 1, 0, 1, 1}), 42);
  CHECK(settings.host == sweep.host);
  CHECK(settings.hosts == 42);
  CHECK(settings.label() == "COS, sDPD, FIFO, SAF on, OTN 4");
}

TEST_CASE("Shard: the shards of a sweep hold every group exactly once, in turn") {
  const Grid grid = grid_of_sweep(sweep_of(2, 5, 1, 1, 1, 1, 1));
  std::multiset<std::size_t> held;
  for (const char* text : {"1/3", "2/3", "3/3"}) {
    const Shard shard = parse_shard(text);
    for (std::size_t i = 0; i < grid.group_count(); ++i) {
      if (shard.holds(grid.group(i))) held.insert(i);
    }
  }
  CHECK(held == std::multiset<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  // Dealt in turn: the second of three gets groups 1, 4, 7.
  CHECK(parse_shard("2/3").holds(grid.group(4)));
  CHECK_FALSE(parse_shard("2/3").holds(grid.group(5)));
}

TEST_CASE("parse_shard: anything but I/N with 1 <= I <= N is refused") {
  for (const char* text : {"", "1", "0/3", "4/3", "1/0", "/3", "1/", "a/b", "1/3/4", "-1/3", " 1/3",
                           "1 /3", "1.0/3", "99999999999999999999/99999999999999999999"}) {
    const std::string error = error_text<ConfigError>([&] { (void)parse_shard(text); });
    CHECK_MESSAGE(contains(error, "expected I/N with 1 <= I <= N"), text);
  }
}

}  // namespace
}  // namespace cospot
