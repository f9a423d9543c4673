#include "sim_harness/provider/schedulers/scheduler_pool.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace cospot {
namespace {

constexpr std::uint64_t kAsksBetweenForgetting = 64;

/// The last time, not after `now`, at which a view is refreshed that is every `interval` from
/// `phase` on.
SimTime last_refresh(SimTime now, SimTime interval, SimTime phase) {
  const std::int64_t since = (now - phase).count();
  const std::int64_t step = interval.count();
  const std::int64_t rest = (since % step + step) % step;
  return now - SimTime{rest};
}

}  // namespace

std::vector<std::uint32_t> tenant_numbers(const Workload& workload) {
  std::unordered_map<std::string_view, std::uint32_t> number_of;  // never iterated
  std::vector<std::uint32_t> numbers;
  numbers.reserve(workload.rows.size());
  for (const WorkloadRow& row : workload.rows) {
    const auto next = static_cast<std::uint32_t>(number_of.size());
    numbers.push_back(number_of.try_emplace(row.tenant, next).first->second);
  }
  return numbers;
}

SchedulerPool::SchedulerPool(const ProviderHosts& datacenter, const Placements& placements,
                             const SchedulerSettings& settings,
                             std::span<const std::uint32_t> tenant_of)
    : settings_(&settings), tenant_of_(tenant_of), log_(datacenter.table().size()) {
  Random seeds(settings.seed);
  for (std::size_t i = 0; i < settings.schedulers; ++i) {
    schedulers_.push_back(
        std::make_unique<Scheduler>(datacenter, placements, log_, seeds.next_u64()));
  }
}

std::size_t SchedulerPool::assign(InstanceIndex instance) {
  if (++asks_ % kAsksBetweenForgetting == 0) forget_known_changes();
  const std::uint64_t turn =
      settings_->deal == DealRule::kByRequest ? asks_ - 1 : tenant_of_[instance];
  return turn % schedulers_.size();
}

void SchedulerPool::refresh(std::size_t number, SimTime now) {
  SchedulerView& view = schedulers_[number]->view;
  const SimTime interval = settings_->refresh_interval;
  if (interval.count() == 0) {
    view.learn_all();
    return;
  }
  // They take turns within the interval.
  const SimTime phase =
      interval * static_cast<std::int64_t>(number) / static_cast<std::int64_t>(size());
  view.learn_before(last_refresh(now, interval, phase));
}

void SchedulerPool::forget_known_changes() {
  std::uint64_t known = UINT64_MAX;
  for (const auto& scheduler : schedulers_) known = std::min(known, scheduler->view.known());
  log_.forget_before(known);
}

}  // namespace cospot
