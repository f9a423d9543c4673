#include "tests/cpp/random_workload.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "core/random.hpp"

namespace cospot {
namespace {

constexpr SimTime kTick = std::chrono::hours(6);
constexpr std::uint64_t kEarlyTicks = 16;                   // four days before the window
constexpr std::uint64_t kBodyTicks = 88;                    // from there to day 18
constexpr std::uint64_t kLateTick = std::uint64_t{4} * 85;  // a few come between day 85 and day 95
constexpr std::uint64_t kLateTicks = 40;
constexpr SimTime kLongWindow = 100 * kDay;  // holds all of them

SimTime ticks(std::uint64_t count) { return static_cast<std::int64_t>(count) * kTick; }

bool happens(Random& random, std::uint64_t percent) { return random.below(100) < percent; }

ResourceAmount amount_below(Random& random, ResourceAmount limit) {
  return static_cast<ResourceAmount>(random.below(static_cast<std::uint64_t>(limit)));
}

/// A multiple of a few shapes; half of them are scaled so that (1, 1) is the host's own ratio.
ResourceVector draw_size(Random& random, const ResourceVector& host) {
  static constexpr std::array<ResourceVector, 5> kShapes{
      ResourceVector{1, 1}, {1, 2}, {2, 1}, {1, 3}, {3, 1}};
  ResourceVector size = kShapes[random.below(kShapes.size())];
  const ResourceAmount scale = 1 + amount_below(random, 3);
  size.vcpus *= scale;
  size.memory_mb *= scale;
  if (happens(random, 50)) size.memory_mb *= std::max(host.memory_mb / host.vcpus, 1);
  if (host.disk_gb > 0) size.disk_gb = amount_below(random, host.disk_gb / 2 + 1);
  if (happens(random, 2)) size.vcpus = host.vcpus + 1;
  if (happens(random, 1)) size.memory_mb = host.memory_mb + 1;
  return size;
}

/// Mean life, in ticks, at which the demand is what the options ask for.
std::uint64_t mean_life(const RandomWorkloadOptions& options) {
  constexpr std::uint64_t kMeanVcpusTimes5 = 16;  // shapes 1, 1, 2, 1, 3; scale 2 in the mean
  const std::uint64_t demand = options.load_percent * options.hosts *
                               static_cast<std::uint64_t>(options.host.vcpus) * kBodyTicks * 5;
  const std::uint64_t supply = 100 * options.requests * kMeanVcpusTimes5;
  return std::clamp<std::uint64_t>(demand / std::max<std::uint64_t>(supply, 1), 1, 2 * kBodyTicks);
}

void draw_life(Random& random, std::uint64_t mean, WorkloadRow& row) {
  row.start = ticks(random.below(kBodyTicks)) - ticks(kEarlyTicks);
  if (happens(random, 12)) row.start = ticks(kLateTick + random.below(kLateTicks));
  if (happens(random, 5)) row.start += SimTime{1};
  row.end = row.start + ticks(1 + random.below(2 * mean));
  if (happens(random, 8)) row.end = row.start;
  if (happens(random, 2)) row.end = kNever;
}

}  // namespace

Workload random_workload(const RandomWorkloadOptions& options) {
  Random random(options.seed);
  Workload workload;
  workload.name = "random " + std::to_string(options.seed);
  // Half of the workloads lose those that come after day 14, the others lose none.
  if (options.seed % 4 < 2) workload.window = kLongWindow;
  const std::uint64_t mean = mean_life(options);
  for (std::size_t i = 0; i < options.requests; ++i) {
    WorkloadRow row;
    row.id = "i" + std::to_string(i);
    row.tenant = "t" + std::to_string(random.below(5));
    row.resources = draw_size(random, options.host);
    if (happens(random, options.spot_percent)) row.instance_class = InstanceClass::kSpot;
    draw_life(random, mean, row);
    workload.rows.push_back(row);
  }
  // Files are mostly in order of time, but need not be: every second workload is.
  if (options.seed % 2 == 0) {
    std::stable_sort(workload.rows.begin(), workload.rows.end(),
                     [](const WorkloadRow& a, const WorkloadRow& b) { return a.start < b.start; });
  }
  return workload;
}

}  // namespace cospot
