#include <doctest/doctest.h>

#include <array>

#include "evictors/fifo_evictor.hpp"

namespace cospot {
namespace {

TEST_CASE("FifoEvictor: the oldest spots go until every resource suffices") {
  // 3 vcpus and 4 MiB are missing. The first spot frees 2 and 8: memory suffices, vcpus do not.
  // The second frees 0 vcpus more (it goes all the same), the third 1: 2 + 0 + 1 = 3.
  const std::array<RunningSpot, 4> spots{
      RunningSpot{.resources = {.vcpus = 2, .memory_mb = 8}},
      RunningSpot{.resources = {.vcpus = 0, .memory_mb = 8}},
      RunningSpot{.resources = {.vcpus = 1, .memory_mb = 1}},
      RunningSpot{.resources = {.vcpus = 9, .memory_mb = 9}},
  };
  const EvictionCase eviction{.spots = spots, .shortfall = {.vcpus = 3, .memory_mb = 4}};
  EvictionPlan plan;
  CHECK(FifoEvictor(PluginOptions{}).make_plan(eviction, kNoScoreLimit, plan));
  CHECK(plan.victims == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(plan.score == 3.0);
  // Three victims are not fewer than three.
  CHECK_FALSE(FifoEvictor(PluginOptions{}).make_plan(eviction, 3.0, plan));
}

}  // namespace
}  // namespace cospot
