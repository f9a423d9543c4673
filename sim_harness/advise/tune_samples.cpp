#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "core/random.hpp"
#include "sim_harness/advise/tune.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/data/workloads/plausible_sizes.hpp"
#include "sim_harness/data/workloads/window.hpp"
#include "sim_harness/provider/forecasts/spot_forecasts.hpp"
#include "sim_harness/provider/run/placement_checks.hpp"
#include "sim_harness/provider/run/prepared_evictor.hpp"
#include "sim_harness/provider/sizing/datacenter_size.hpp"

namespace cospot {
namespace {

constexpr std::string_view kLargeVmRemedyHere =
    "use a larger --host, or give --hosts instead of --headroom-percent to count such VMs as "
    "rejected";
/// With fewer hosts, one more or less is over a twelfth of them.
constexpr std::size_t kFewHosts = 12;

/// The fewest hosts with which each VM policy rejects nothing.
std::vector<std::size_t> needed_hosts(const Workload& workload, const HostMix& host,
                                      std::span<const ChainSpec> vm, const VcpusUnit& unit) {
  require_every_vm_fits(workload, host, kLargeVmRemedyHere, unit);
  const EventSchedule vms =
      make_schedule(workload, ScheduledClasses::kVmsOnly, host.isolated_tenants());
  require_possible_placements(workload, vms, host, std::nullopt);
  std::vector<std::size_t> needed;
  for (const ChainSpec& chain : vm) {
    needed.push_back(smallest_datacenter(workload, vms, host, chain).hosts);
  }
  return needed;
}

void require_both_classes(const std::string& label, const RequestTotals& of,
                          std::string_view remedy) {
  if (of.vm_requests > 0 && of.spot_revenue_requested > 0) return;
  throw ConfigError(fmt::format(
      "{}: has {} VMs and {} spots that run inside the window, expected some of both{}", label,
      of.vm_requests, of.spot_revenue_requested > 0 ? of.spot_requests : 0, remedy));
}

/// The same of what comes after the window of the sample before.
void require_both_classes(const std::string& label, const RequestTotals& of,
                          const RequestTotals& before, SimTime from) {
  const bool has_vms = of.vm_revenue_requested > before.vm_revenue_requested;
  const bool has_spots = of.spot_revenue_requested > before.spot_revenue_requested;
  if (has_vms && has_spots) return;
  throw ConfigError(fmt::format(
      "{}: no {} run in its last part, from day {:.4g} on, expected some of both; give fewer "
      "--parts, or --window-days without the days in which nothing runs",
      label, has_vms ? "spots" : "VMs", days_of(from)));
}

/// The hosts of a size, of which the VMs need so many by policy.
std::size_t sized(const Headroom& size, std::span<const std::size_t> needed) {
  return size.percent ? with_headroom(std::ranges::min(needed), *size.percent) : size.hosts;
}

/// Gives the sample its evictors, knowing its workload.
void inform_evictors(TuneSample& sample, std::span<const EvictorSpec> evictors) {
  for (const EvictorSpec& evictor : evictors) {
    sample.evictors.push_back(evictor);
    std::shared_ptr<const Evictor>& made = sample.evictors.back().made;
    if (made != nullptr) made = prepared_evictor(made, sample.workload, sample.schedule);
  }
}

EventSchedule schedule_of(const Workload& workload, const HostMix& host) {
  return make_schedule(workload, ScheduledClasses::kVmsAndSpots, host.isolated_tenants());
}

/// Forecasts and parts of a run may depend on the end of its window.
bool depends_on_window(const TuneSettings& settings) {
  return settings.with != nullptr || std::ranges::any_of(settings.spot, needs_spot_forecasts);
}

/// Gives each sample the rows that start before its end.
void add_own_rows(std::span<TuneSample> samples, const Workload& workload, const HostMix& host) {
  for (TuneSample& sample : samples) {
    std::ranges::copy_if(
        workload.rows, std::back_inserter(sample.workload.rows),
        [&](const WorkloadRow& row) { return starts_in_time(row, sample.workload.window); });
    sample.schedule = schedule_of(sample.workload, host);
  }
}

/// With a headroom, a VM larger than every host is an error instead.
void add_warnings(const Workload& workload, const TunedDatacenter& datacenter,
                  const VcpusUnit& unit, std::vector<std::string>& warnings) {
  for (std::string& one : input_warnings(workload, datacenter.host.largest_total(), unit)) {
    warnings.push_back(std::move(one));
  }
  std::string oversized = oversized_warning(workload, datacenter.host, unit);
  if (!oversized.empty()) warnings.push_back(std::move(oversized));
}

}  // namespace

double days_of(SimTime time) {
  return static_cast<double>(time.count()) / static_cast<double>(SimTime(kDay).count());
}

double vm_worth_of(const VcpuHourPrices& prices) {
  return prices.spot > 0 ? prices.on_demand / prices.spot : 1;
}

std::vector<Workload> lengthening_windows(const Workload& workload, std::size_t parts) {
  std::vector<Workload> windows;
  for (std::size_t part = 1; part <= parts; ++part) {
    const SimTime window = WindowParts{.window = workload.window, .count = parts}.begin(part);
    const std::string days = fmt::format("0 to {} d", window_days_text(window));
    windows.push_back({.name = fmt::format("{} ({})", workload.name, days),
                       .sha256 = part == parts
                                     ? workload.sha256
                                     : sha256_hex(fmt::format("{} of {}", days, workload.sha256)),
                       .window = window,
                       .window_is_stated = true,
                       .placements = workload.placements});
  }
  return windows;
}

SampleUse use_all(std::size_t count) {
  SampleUse use;
  for (std::size_t i = 0; i < count; ++i) use.selection.push_back(i);
  return use;
}

SampleUse draw_halves(std::size_t count, std::uint64_t seed) {
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
  SampleUse use;
  for (std::size_t i = 0; i < count; ++i) {
    (held_out[i] ? use.held_out : use.selection).push_back(i);
  }
  return use;
}

std::vector<SampleUse> draw_folds(std::size_t count, std::size_t folds, std::uint64_t seed) {
  if (folds > count) {
    throw ConfigError(fmt::format(
        "--folds {}: there are {} samples, expected at most one fold each", folds, count));
  }
  if (folds < 2) throw ConfigError("cross-validation needs two folds or more");
  std::vector<std::size_t> fold_of(count);
  for (std::size_t i = 0; i < count; ++i) fold_of[i] = i % folds;
  if (folds < count) {  // else nothing to draw
    Random random(seed);
    for (std::size_t i = count; i > 1; --i) std::swap(fold_of[i - 1], fold_of[random.below(i)]);
  }
  std::vector<SampleUse> uses(folds);
  for (std::size_t fold = 0; fold < folds; ++fold) {
    for (std::size_t i = 0; i < count; ++i) {
      (fold_of[i] == fold ? uses[fold].held_out : uses[fold].selection).push_back(i);
    }
  }
  return uses;
}

std::size_t past_parts(std::size_t parts) { return std::max(kLeastPast, (2 * parts + 6) / 7); }

std::vector<SampleUse> forward_in_time(std::size_t parts) {
  std::vector<SampleUse> uses;
  for (std::size_t part = past_parts(parts); part < parts; ++part) {
    uses.push_back(use_all(part));
    uses.back().held_out = {part};
  }
  return uses;
}

TuneSamples make_samples(std::span<const WorkloadSpec> workloads, const TunedDatacenter& datacenter,
                         const TuneSettings& settings, std::size_t parts) {
  if (workloads.size() == 1) {
    return make_samples_of_parts(workloads.front(), load_workload(workloads.front()), datacenter,
                                 settings, parts);
  }
  TuneSamples made;
  for (const WorkloadSpec& spec : workloads) {
    TuneSample& sample =
        made.samples.emplace_back(TuneSample{.spec = spec, .workload = load_workload(spec)});
    sample.schedule = schedule_of(sample.workload, datacenter.host);
    require_both_classes(spec.label, sample.schedule, {});
    add_warnings(sample.workload, datacenter, vcpus_unit_of(spec), made.warnings);
    sample.hosts = datacenter.size.hosts;
    if (datacenter.size.percent) {
      sample.hosts = sized(datacenter.size, needed_hosts(sample.workload, datacenter.host,
                                                         settings.vm, vcpus_unit_of(spec)));
    }
  }
  for (TuneSample& sample : made.samples) {
    require_possible_placements(sample.workload, sample.schedule, datacenter.host, sample.hosts);
    inform_evictors(sample, settings.evictors);
  }
  return made;
}

TuneSamples make_samples_of_parts(const WorkloadSpec& spec, Workload workload,
                                  const TunedDatacenter& datacenter, const TuneSettings& settings,
                                  std::size_t parts) {
  TuneSamples made;
  const HostMix& host = datacenter.host;
  const VcpusUnit unit = vcpus_unit_of(spec);
  made.whole = WholeWorkload{.hosts = datacenter.size.hosts,
                             .part = workload.window / static_cast<std::int64_t>(parts)};
  // With stated hosts, VMs larger than each of them count as rejected.
  if (datacenter.size.percent || fits_every_vm(workload, host)) {
    made.whole->needed = needed_hosts(workload, host, settings.vm, unit);
    made.whole->hosts = sized(datacenter.size, made.whole->needed);
  }
  add_warnings(workload, datacenter, unit, made.warnings);
  for (Workload& part : lengthening_windows(workload, parts)) {
    TuneSample& sample =
        made.samples.emplace_back(TuneSample{.spec = spec, .workload = std::move(part)});
    sample.spec.label = sample.workload.name;
    sample.spec.window = sample.workload.window;
    sample.hosts = made.whole->hosts;
    sample.goes_on = made.samples.size() > 1;
  }
  TuneSample& last = made.samples.back();
  const bool all_apart = depends_on_window(settings);
  if (all_apart) add_own_rows(std::span(made.samples).first(parts - 1), workload, host);
  last.workload.rows = std::move(workload.rows);
  // Draws for each row of the history are not to depend on what comes after it.
  std::erase_if(last.workload.rows,
                [&](const WorkloadRow& row) { return !starts_in_time(row, last.workload.window); });
  last.schedule = schedule_of(last.workload, host);
  std::vector<ScheduleCut> cuts;
  for (std::size_t part = 0; part < parts; ++part) {
    const TuneSample& sample = made.samples[part];
    cuts.push_back(cut_at(last.schedule, sample.workload.window));
    require_both_classes(sample.spec.label, cuts.back(),
                         "; begin the history with the first of them, or give fewer --parts");
    if (part == 0) continue;
    require_both_classes(sample.spec.label, cuts.back(), cuts[part - 1], cuts[part - 1].window);
  }
  if (!all_apart) last.schedule.cuts = std::move(cuts);
  for (TuneSample& sample : made.samples) {
    if (sample.workload.rows.empty()) continue;
    require_possible_placements(sample.workload, sample.schedule, host, sample.hosts);
    inform_evictors(sample, settings.evictors);
  }
  return made;
}

std::vector<std::string> sample_warnings(const TuneSamples& samples) {
  std::vector<std::string> warnings = samples.warnings;
  const auto [fewest, most] = std::ranges::minmax(samples.samples, {}, &TuneSample::hosts);
  if (fewest.hosts < kFewHosts) {
    const std::string range = fewest.hosts == most.hosts
                                  ? fmt::format("{}", fewest.hosts)
                                  : fmt::format("{} to {}", fewest.hosts, most.hosts);
    warnings.push_back(fmt::format(
        "datacenters of {} hosts: one host more or less decides what fits, and a large offer "
        "covers all of them, so expect other results in another week. Join the workloads of "
        "several zones to reach {} hosts, or treat this as a first impression",
        range, kFewHosts));
  }
  if (samples.whole && samples.whole->part < kDay) {
    const auto parts =
        static_cast<std::size_t>(samples.whole->part * samples.samples.size() / kDay);
    warnings.push_back(fmt::format(
        "parts of {:.1f} hours cover different times of day; {}", 24 * days_of(samples.whole->part),
        parts >= 2 ? fmt::format("expected --parts {} at most", parts)
                   : "expected a history of two days or more, better of two weeks"));
  }
  return warnings;
}

}  // namespace cospot
