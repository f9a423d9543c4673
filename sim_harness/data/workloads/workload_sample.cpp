#include "sim_harness/data/workloads/workload_sample.hpp"

#include <fmt/format.h>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "core/random.hpp"

namespace cospot {

Workload sample_workload(const Workload& workload, Sampling sampling, double probability,
                         std::uint64_t seed) {
  if (!(probability > 0 && probability <= 1)) {
    throw ConfigError(fmt::format(
        "the sampling probability is {}, expected more than 0 and at most 1", probability));
  }
  const bool batched = sampling == Sampling::kBatched;
  // {} writes the shortest decimal that reads back as the same double.
  const std::string recipe = fmt::format("sample {} probability={} seed={}",
                                         batched ? "batched" : "bernoulli", probability, seed);
  Workload sample{.name = fmt::format("{} ({})", workload.name, recipe),
                  .sha256 = sha256_hex(recipe + " of " + workload.sha256),
                  .window = workload.window,
                  .window_is_stated = workload.window_is_stated,
                  .rows = {},
                  .placements = workload.placements};
  Random random(seed);
  const WorkloadRow* previous = nullptr;
  bool kept = false;
  for (const WorkloadRow& row : workload.rows) {
    const bool same_batch = batched && previous != nullptr && row.tenant == previous->tenant &&
                            row.instance_class == previous->instance_class;
    if (!same_batch) kept = random.uniform() < probability;
    if (kept) sample.rows.push_back(row);
    previous = &row;
  }
  return sample;
}

}  // namespace cospot
