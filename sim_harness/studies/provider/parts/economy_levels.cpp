#include "sim_harness/studies/provider/parts/economy_levels.hpp"

#include <utility>

#include "core/random.hpp"

namespace cospot {

std::vector<std::uint8_t> levels_of(const Workload& workload, double percent, std::uint64_t seed) {
  constexpr std::uint64_t kDraws = 1'000'000;
  const auto chosen = static_cast<std::uint64_t>(percent / 100 * static_cast<double>(kDraws));
  Random random(seed);
  std::vector<std::uint8_t> levels;
  levels.reserve(workload.rows.size());
  for (const WorkloadRow& row : workload.rows) {
    Level level = Level::kVm;
    if (row.instance_class == InstanceClass::kEconomy) level = Level::kEconomy;
    // A draw for every spot, so that a larger percentage adds to those of a smaller one.
    if (row.is_spot()) level = random.below(kDraws) < chosen ? Level::kEconomy : Level::kSpot;
    levels.push_back(static_cast<std::uint8_t>(level));
  }
  return levels;
}

PromiseOwner::PromiseOwner(std::vector<PromiseStep> steps, const Workload& workload,
                           std::vector<std::uint8_t> level_of)
    : steps_(std::move(steps)), workload_(&workload), level_of_(std::move(level_of)) {
  forecasts_.economy = &promise_;
}

SimTime PromiseOwner::next_refresh() const {
  return next_ < steps_.size() ? steps_[next_].from : kNever;
}

void PromiseOwner::refresh() {
  const PromiseStep& step = steps_[next_++];
  promise_.promised_vcpus = step.vcpus;
  promise_.promised_memory_mb = step.memory_mb;
  promise_.until = step.until;
}

void PromiseOwner::use(InstanceIndex instance, std::int64_t sign) {
  if (level_of_[instance] != static_cast<std::uint8_t>(Level::kEconomy)) return;
  const ResourceVector& size = workload_->rows[instance].resources;
  promise_.used_vcpus += sign * size.vcpus;
  promise_.used_memory_mb += sign * size.memory_mb;
}

void PromiseOwner::placed(const Request& request, HostIndex /*host*/) { use(request.instance, 1); }

void PromiseOwner::evicted(InstanceIndex victim, HostIndex /*host*/, const Request& /*for_vm*/) {
  use(victim, -1);
}

void PromiseOwner::departed(InstanceIndex instance, HostIndex /*host*/, SimTime /*time*/) {
  use(instance, -1);
}

}  // namespace cospot
