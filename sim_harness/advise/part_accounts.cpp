#include "sim_harness/advise/part_accounts.hpp"

#include <algorithm>
#include <utility>

#include "core/policy/forecasts.hpp"
#include "filters/lifetime_sla_filter.hpp"
#include "guarantees/economy/economy_promise.hpp"
#include "guarantees/sla/lifetime_quantiles.hpp"

namespace cospot {
namespace {

/// Two levels where no row says which of three it has.
std::vector<std::uint8_t> levels_of_classes(const Workload& workload) {
  std::vector<std::uint8_t> levels;
  levels.reserve(workload.rows.size());
  for (const WorkloadRow& row : workload.rows) {
    levels.push_back(static_cast<std::uint8_t>(row.is_spot() ? Level::kSpot : Level::kVm));
  }
  return levels;
}

}  // namespace

std::size_t WindowParts::of(SimTime time) const {
  if (time <= SimTime(0)) return 0;
  const auto part = static_cast<std::size_t>(time / begin(1));
  return std::min(part, count - 1);
}

std::size_t WindowParts::block_of(SimTime time) const {
  const SimTime into = std::max(time - begin(of(time)), SimTime(0));
  const auto block = static_cast<std::size_t>(into * std::int64_t{kPartBlocks} / begin(1));
  return std::min(block, kPartBlocks - 1);
}

LevelAccount& LevelAccount::operator+=(const LevelAccount& other) {
  requested += other.requested;
  earned += other.earned;
  requests += other.requests;
  placed += other.placed;
  carried += other.carried;
  evictions += other.evictions;
  early += other.early;
  broken += other.broken;
  return *this;
}

PartAccount& PartAccount::operator+=(const PartAccount& other) {
  for (std::size_t level = 0; level < kLevels; ++level) levels[level] += other.levels[level];
  return *this;
}

PartAccounts::PartAccounts(const EventSchedule& schedule, const Workload& workload,
                           WindowParts parts, std::vector<std::uint8_t> level_of,
                           std::span<const PromiseClass> classes, const HostTable& hosts,
                           std::span<const std::uint32_t> key_of)
    : schedule_(&schedule),
      parts_(parts),
      level_of_(level_of.empty() ? levels_of_classes(workload) : std::move(level_of)),
      classes_(classes),
      hosts_(&hosts),
      stays_(workload.rows.size()),
      accounts_(parts.count),
      key_of_(key_of),
      by_key_(key_of.empty() ? 0 : *std::ranges::max_element(key_of) + 1) {
  for (PartAccount& part : accounts_) {
    part.promises.assign(classes.size(),
                         {.given = 0, .blocks = std::vector<PromiseCount>(kPartBlocks)});
    part.outcomes.resize(classes.size());
  }
  for (const WorkloadRow& row : workload.rows) vcpus_.push_back(row.resources.vcpus);
  count_requests(workload);
}

void PartAccounts::count(std::size_t part, InstanceIndex instance, const LevelAccount& more) {
  accounts_[part].levels[level_of(instance)] += more;
  if (!key_of_.empty()) by_key_[key_of_[instance]].levels[level_of(instance)] += more;
}

void PartAccounts::count_requests(const Workload& workload) {
  for (InstanceIndex i = 0; i < workload.rows.size(); ++i) {
    const WorkloadRow& row = workload.rows[i];
    if (row.start >= parts_.window) continue;
    count(parts_.of(row.start), i, {.requests = 1});
    add(i, row.start, row.end, &LevelAccount::requested);
  }
}

void PartAccounts::add(InstanceIndex instance, SimTime from, SimTime to,
                       Revenue LevelAccount::*amount) {
  const std::size_t first = parts_.of(from);
  const std::size_t last = parts_.of(std::min(to, parts_.window));
  for (std::size_t part = first; part <= last; ++part) {
    const SimTime begin = std::max(from, parts_.begin(part));
    const SimTime end = std::min(to, parts_.end(part));
    LevelAccount more;
    more.*amount = schedule_->revenue(vcpus_[instance], begin, end);
    if (amount == &LevelAccount::earned && part > first && begin < end) more.carried = 1;
    count(part, instance, more);
  }
}

void PartAccounts::placed(const Request& request, HostIndex host) {
  Stay& stay = stays_[request.instance] = {.since = request.time, .classes = 0};
  if (request.forecasts != nullptr && request.forecasts->economy != nullptr) {
    stay.promised_until = request.forecasts->economy->until;
  }
  count(parts_.of(request.time), request.instance, {.placed = 1});
  if (level_of(request.instance) == static_cast<std::size_t>(Level::kSpot)) promise(request, host);
}

void PartAccounts::promise(const Request& request, HostIndex host) {
  if (classes_.empty() || request.forecasts == nullptr) return;
  const LifetimeQuantiles* lifetimes = request.forecasts->lifetimes;
  if (lifetimes == nullptr || !lifetimes->is_known() || request.time < SimTime(0)) return;
  const ResourceVector size = request.resources();
  const HostView hosts = hosts_->view();
  // The free capacity before this spot came: its host is as it was then.
  const ResourceVector left = hosts[host].free(Sees::kVmsAndSpots);
  ResourceVector before = left;
  before.vcpus += size.vcpus;
  before.memory_mb += size.memory_mb;
  before.disk_gb += size.disk_gb;
  const std::int64_t slots =
      free_slots(hosts, size) - slots_of(size, left) + slots_of(size, before);
  PartAccount& part = accounts_[parts_.of(request.time)];
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    if (lifetimes->promised(size, slots, classes_[i].broken) < classes_[i].life) continue;
    stays_[request.instance].classes |= std::uint64_t{1} << i;
    ++part.promises[i].given;
  }
}

void PartAccounts::end_stay(InstanceIndex instance, SimTime time, bool is_evicted) {
  const Stay stay = std::exchange(stays_[instance], {});
  if (stay.since == kNever) return;
  time = std::min(time, parts_.window);  // nobody saw what came after it
  add(instance, stay.since, time, &LevelAccount::earned);
  PartAccount& part = accounts_[parts_.of(stay.since)];
  const std::size_t block = parts_.block_of(stay.since);
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    if ((stay.classes >> i & 1) == 0) continue;
    const bool lived = time - stay.since >= classes_[i].life;
    if (!lived && !is_evicted) continue;
    PartAccount& known_in = accounts_[parts_.of(lived ? stay.since + classes_[i].life : time)];
    for (PromiseCount* count : {&part.promises[i].blocks[block], &known_in.outcomes[i]}) {
      ++count->promised;
      if (!lived) ++count->broken;
    }
  }
}

void PartAccounts::evicted(InstanceIndex victim, HostIndex /*host*/, const Request& for_vm) {
  const bool is_economy = level_of(victim) == static_cast<std::size_t>(Level::kEconomy);
  const bool is_early = for_vm.time - stays_[victim].since < kDay;
  const bool is_broken = is_economy && for_vm.time < stays_[victim].promised_until;
  count(parts_.of(for_vm.time), victim,
        {.evictions = 1,
         .early = static_cast<std::uint64_t>(is_early),
         .broken = static_cast<std::uint64_t>(is_broken)});
  end_stay(victim, for_vm.time, true);
}

void PartAccounts::departed(InstanceIndex instance, HostIndex /*host*/, SimTime time) {
  end_stay(instance, time, false);
}

void PartAccounts::happened(const LifeEvent& event) {
  switch (event.kind) {
    case LifeEventKind::kLoss:  // of a host that failed: the customer's spot is gone all the same
    case LifeEventKind::kStop:
      return end_stay(event.instance, event.time, true);
    case LifeEventKind::kEvacuation:  // it is placed anew, or never
      return end_stay(event.instance, event.time, false);
    case LifeEventKind::kResize: {
      // The income until now, with the size that it had.
      Stay& stay = stays_[event.instance];
      add(event.instance, stay.since, event.time, &LevelAccount::earned);
      stay.since = event.time;
      vcpus_[event.instance] = event.size.vcpus;
      return;
    }
    default:
      return;
  }
}

std::vector<PartAccount> PartAccounts::finish() {
  for (InstanceIndex i = 0; i < stays_.size(); ++i) end_stay(i, parts_.window, false);
  return std::move(accounts_);
}

double share_of(Revenue part, Revenue whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

Income income_of(const PartAccount& part, const VcpuHourPrices& prices) {
  const LevelAccount& vms = part.of(Level::kVm);
  const LevelAccount& spots = part.of(Level::kSpot);
  return {.vms_requested = prices.of_vms(vcpu_seconds(vms.requested)),
          .vms_lost = prices.of_vms(vcpu_seconds(vms.requested - vms.earned)),
          .spots_requested = prices.of_spots(vcpu_seconds(spots.requested)),
          .spots_earned = prices.of_spots(vcpu_seconds(spots.earned)),
          .economy_earned = prices.of_economy(vcpu_seconds(part.of(Level::kEconomy).earned))};
}

double vm_loss_of(const PartAccount& part) {
  const LevelAccount& vms = part.of(Level::kVm);
  return share_of(vms.requested - vms.earned, vms.requested);
}

double served_of(const PartAccount& part) {
  LevelAccount sum = part.of(Level::kSpot);
  sum += part.of(Level::kEconomy);
  return share_of(sum.earned, sum.requested);
}

bool held_before(std::span<const PartAccount> parts, std::size_t index, const PromiseClass& promise,
                 std::size_t to) {
  PromiseCount all;
  for (const PartAccount& part : parts.first(to)) all += part.outcomes[index];
  if (verdict_of(all, promise.broken) != PromiseVerdict::kKept) return false;
  for (std::size_t part = to; part-- > 0;) {
    const PromiseCount& latest = parts[part].outcomes[index];
    if (latest.promised < kLeastTested) continue;
    return static_cast<double>(latest.broken) <=
           promise.broken * static_cast<double>(latest.promised);
  }
  return true;
}

}  // namespace cospot
