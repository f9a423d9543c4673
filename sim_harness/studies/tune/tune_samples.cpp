#include "sim_harness/studies/tune/tune_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "core/random.hpp"
#include "sim_harness/engine/datacenter_size.hpp"
#include "sim_harness/engine/placement_checks.hpp"
#include "sim_harness/engine/prepared_evictor.hpp"
#include "sim_harness/workloads/load_workload.hpp"
#include "sim_harness/workloads/window.hpp"

namespace cospot {
namespace {

constexpr std::string_view kLargeVmOfOneRemedy =
    "use a larger --host, or give --hosts instead of --headroom-percent to count such VMs as "
    "rejected";
/// Parts have hosts in proportion to the fewest that hold their VMs, also with --hosts.
constexpr std::string_view kLargeVmOfPartRemedy =
    "use a larger --host, or give several workloads and --hosts to count such VMs as rejected";

/// The fewest hosts with which each VM policy rejects nothing.
std::vector<std::size_t> needed_hosts(const Workload& workload, const HostMix& host,
                                      std::span<const ChainSpec> vm, std::string_view remedy,
                                      const VcpusUnit& unit) {
  require_every_vm_fits(workload, host, remedy, unit);
  const EventSchedule vms =
      make_schedule(workload, ScheduledClasses::kVmsOnly, host.isolated_tenants());
  require_possible_placements(workload, vms, host, std::nullopt);
  std::vector<std::size_t> needed;
  for (const ChainSpec& chain : vm) {
    needed.push_back(smallest_datacenter(workload, vms, host, chain).hosts);
  }
  return needed;
}

/// `hosts` are what the whole workload has, of which `whole` are what its VMs need.
std::size_t scaled(std::size_t hosts, std::size_t part, std::size_t whole) {
  const double share = static_cast<double>(part) / static_cast<double>(whole);
  return std::max<std::size_t>(
      1, static_cast<std::size_t>(std::llround(static_cast<double>(hosts) * share)));
}

/// Hosts of which a part of a workload has its share: the types in proportion to those of so many
/// hosts. Of a part, the hosts that are there are a share too, and not all there first.
HostMix host_of_parts(const HostMix& host, std::size_t hosts) {
  if (host.added_type().empty()) return host;
  std::vector<HostKind> kinds = host.kinds();
  const std::vector<std::size_t> counts = host.counts(hosts);
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) kinds[kind].count = counts[kind];
  return {std::move(kinds), host.places()};
}

void require_both_classes(const TuneSample& sample) {
  const EventSchedule& schedule = sample.schedule;
  if (schedule.vm_requests > 0 && schedule.spot_revenue_requested > 0) return;
  throw ConfigError(
      fmt::format("{}: has {} VMs and {} spots that run inside the window, expected some of both",
                  sample.spec.label, schedule.vm_requests,
                  schedule.spot_revenue_requested > 0 ? schedule.spot_requests : 0));
}

/// Gives the sample its evictors, knowing its workload.
void inform_evictors(TuneSample& sample, std::span<const EvictorSpec> evictors) {
  for (const EvictorSpec& evictor : evictors) {
    sample.evictors.push_back(evictor);
    std::shared_ptr<const Evictor>& made = sample.evictors.back().made;
    if (made != nullptr) made = prepared_evictor(made, sample.workload, sample.schedule);
  }
}

TuneSample make_sample(WorkloadSpec spec, Workload workload, const HostMix& host) {
  TuneSample sample{.spec = std::move(spec), .workload = std::move(workload)};
  sample.schedule =
      make_schedule(sample.workload, ScheduledClasses::kVmsAndSpots, host.isolated_tenants());
  require_both_classes(sample);
  return sample;
}

/// The server group of a request, or RowPlacement::kNoGroup.
std::uint32_t group_of(const Workload& workload, const WorkloadRow& row) {
  return row.placement == 0 ? RowPlacement::kNoGroup
                            : workload.placements.asked[row.placement - 1].group;
}

}  // namespace

std::vector<Workload> deal_batches(const Workload& workload, std::size_t parts,
                                   std::uint64_t seed) {
  std::vector<Workload> dealt(parts);
  for (std::size_t i = 0; i < parts; ++i) {
    const std::string recipe = fmt::format("part {}/{} seed={}", i + 1, parts, seed);
    dealt[i] = {.name = fmt::format("{} ({})", workload.name, recipe),
                .sha256 = sha256_hex(recipe + " of " + workload.sha256),
                .window = workload.window,
                .window_is_stated = workload.window_is_stated,
                .placements = workload.placements};
  }
  // Members of a server group look at each other, so they stay together.
  std::vector<std::optional<std::size_t>> part_of_group(workload.placements.groups.size());
  Random random(seed);
  const WorkloadRow* previous = nullptr;
  std::size_t part = 0;
  for (const WorkloadRow& row : workload.rows) {
    const bool same_batch = previous != nullptr && row.tenant == previous->tenant &&
                            row.instance_class == previous->instance_class;
    if (!same_batch) part = random.below(parts);
    const std::uint32_t group = group_of(workload, row);
    if (group == RowPlacement::kNoGroup) {
      dealt[part].rows.push_back(row);
    } else {
      if (!part_of_group[group]) part_of_group[group] = part;
      dealt[*part_of_group[group]].rows.push_back(row);
    }
    previous = &row;
  }
  return dealt;
}

std::vector<bool> draw_held_out(std::size_t count, std::uint64_t seed) {
  if (count < 2)
    throw ConfigError("one sample cannot both train and validate; expected two or more");
  std::vector<bool> held_out(count, false);
  Random random(seed);
  for (std::size_t left = count / 2; left > 0;) {
    const std::size_t drawn = random.below(count);
    if (held_out[drawn]) continue;
    held_out[drawn] = true;
    --left;
  }
  return held_out;
}

std::vector<std::size_t> draw_folds(std::size_t count, std::size_t folds, std::uint64_t seed) {
  if (folds > count) {
    throw ConfigError(fmt::format(
        "--folds {}: there are {} samples, expected at most one fold each", folds, count));
  }
  std::vector<std::size_t> fold_of(count);
  for (std::size_t i = 0; i < count; ++i) fold_of[i] = i % folds;
  Random random(seed);
  for (std::size_t i = count; i > 1; --i) std::swap(fold_of[i - 1], fold_of[random.below(i)]);
  return fold_of;
}

TuneSamples make_samples(std::span<const WorkloadSpec> workloads, const TunedDatacenter& datacenter,
                         std::span<const ChainSpec> vm, std::span<const EvictorSpec> evictors,
                         std::size_t parts, std::uint64_t seed) {
  TuneSamples made;
  made.host = datacenter.host;
  const bool is_split = workloads.size() == 1;
  const std::string_view remedy = is_split ? kLargeVmOfPartRemedy : kLargeVmOfOneRemedy;
  const std::optional<double> percent = datacenter.size.percent;
  if (is_split) {
    const WorkloadSpec& spec = workloads.front();
    const Workload workload = load_workload(spec);
    made.whole = WholeWorkload{
        .hosts = datacenter.size.hosts,
        .needed = needed_hosts(workload, datacenter.host, vm, remedy, vcpus_unit_of(spec))};
    if (percent) {
      made.whole->hosts = with_headroom(std::ranges::min(made.whole->needed), *percent);
    }
    made.host = host_of_parts(datacenter.host, made.whole->hosts);
    for (Workload& part : deal_batches(workload, parts, seed)) {
      WorkloadSpec named = spec;
      named.label = part.name;
      made.samples.push_back(make_sample(std::move(named), std::move(part), made.host));
    }
    made.samples.front().warnings = window_warnings(workload);
  } else {
    for (const WorkloadSpec& spec : workloads) {
      made.samples.push_back(make_sample(spec, load_workload(spec), made.host));
      made.samples.back().warnings = window_warnings(made.samples.back().workload);
    }
  }
  for (TuneSample& sample : made.samples) {
    sample.hosts = datacenter.size.hosts;
    if (percent || made.whole) {
      const std::size_t fewest = std::ranges::min(
          needed_hosts(sample.workload, made.host, vm, remedy, vcpus_unit_of(sample.spec)));
      sample.hosts = percent
                         ? with_headroom(fewest, *percent)
                         : scaled(made.whole->hosts, fewest, std::ranges::min(made.whole->needed));
    }
    require_possible_placements(sample.workload, sample.schedule, made.host, sample.hosts);
    inform_evictors(sample, evictors);
  }
  return made;
}

}  // namespace cospot
