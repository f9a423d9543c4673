#include "sim_harness/provider/sizing/datacenter_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "core/errors.hpp"
#include "core/provider/provider_hosts.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/base/text/terminal_meter.hpp"
#include "sim_harness/data/workloads/plausible_sizes.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/run/run_settings.hpp"
#include "sim_harness/provider/sizing/headroom.hpp"

namespace cospot {
namespace {

/// Answers for one number of hosts after another whether a run of the VMs alone rejects any.
/// SimulationEngine can answer this too, but here a run reuses what it has in common with the
/// previous one.
///
/// Added hosts come last and are idle. While another host is idle too, an added one wins no VM: it
/// ranks equal to that host, and ties go to the lowest index. If none is idle, the ranking decides
/// whether an idle host would win; with policies that prefer used hosts it never does. So the run
/// of the larger datacenter begins like that of the smaller one, up to the point where an idle host
/// would have won, or else up to the rejection. With several kinds of hosts, this holds for each
/// kind that is added.
class VmPacking {
 public:
  /// `vms` is a schedule of VMs only, each of which fits a host; it outlives the object.
  VmPacking(const EventSchedule& vms, const HostMix& host, const ChainSpec& vm);

  /// Tells whether a datacenter of this many hosts, more than in the previous call, rejects no VM.
  /// Throws Interrupted when the thread's StopToken requests it.
  [[nodiscard]] bool fits(std::size_t hosts, TerminalMeter& meter);

  /// After a size that does not fit: the VM that fits no larger datacenter either, because hosts of
  /// every kind that is added were idle all the time.
  [[nodiscard]] std::optional<InstanceIndex> never_fits() const { return never_fits_; }

 private:
  /// The state of a run: the VMs' hosts before the event at `position`.
  struct State {
    std::vector<HostIndex> host_of;  ///< per row; kNoHost while it does not run
    std::size_t position = 0;
  };

  void fill_hosts(std::size_t count);
  void place(HostIndex host, const ScheduledEvent& event);
  void depart(const ScheduledEvent& event);
  [[nodiscard]] bool arrive(const ScheduledEvent& event);
  [[nodiscard]] bool added_host_may_win(HostIndex chosen, const Request& request);
  [[nodiscard]] bool idle_host_would_win(HostIndex chosen, std::size_t kind,
                                         const Request& request);
  [[nodiscard]] bool every_added_kind_is_idle() const;

  const EventSchedule& vms_;
  HostMix host_;
  std::shared_ptr<const Chain> chain_;
  bool compares_two_hosts_;  ///< whether the order of two hosts does not depend on other hosts
  State state_;
  std::optional<State> parting_;  ///< where a run with more hosts would diverge

  std::optional<ProviderHosts> hosts_;
  std::vector<std::uint32_t> kind_of_;  ///< per host
  HostView view_;
  std::vector<std::size_t> idle_;  ///< hosts without a VM, by kind
  std::optional<InstanceIndex> never_fits_;
  bool is_compiled_;
  std::size_t end_ = 0;
  std::vector<HostTable> pairs_;  ///< by kind: a chosen host and an idle host of that kind
  ChainScratch scratch_;
  std::vector<RankedHost> ranked_;
};

/// Often enough also where each event scans millions of hosts or asks Python.
constexpr std::size_t kEventsBetweenPolls = 16;
constexpr std::size_t kEventsBetweenReports = 65536;

/// A policy written in Python may keep a count or look at how many hosts there are: then the run
/// with more hosts begins anew.
bool is_compiled(const ChainSpec& chain) {
  return std::ranges::none_of(chain.filters, [](const auto& spec) { return bool(spec.make); }) &&
         std::ranges::none_of(chain.weighers, [](const auto& spec) { return bool(spec.make); });
}

/// True if the order is that of one weigher's raw weights (see Chain): then the order of two hosts
/// does not depend on the others. Normalised weights depend on all hosts.
bool ranks_by_raw_weights(const Chain& chain) {
  if (chain.weighers().size() != 1 || chain.weighers()[0].multiplier <= 0) return false;
  const Weigher& weigher = *chain.weighers()[0].weigher;
  return !weigher.minval().has_value() && !weigher.maxval().has_value();
}

VmPacking::VmPacking(const EventSchedule& vms, const HostMix& host, const ChainSpec& vm)
    : vms_(vms),
      host_(host),
      chain_(make_chain(vm, ChainSide::kVm, vms.has_placements())),
      // Two hosts alone do not show the hosts of a group's other members.
      compares_two_hosts_(ranks_by_raw_weights(*chain_) && vms.groups.empty()),
      state_{.host_of = std::vector<HostIndex>(vms.start.size(), kNoHost)},
      is_compiled_(is_compiled(vm)),
      end_(vms.events_to_last_arrival) {
  for (std::size_t kind = 0; kind < host_.kinds().size(); ++kind) {
    pairs_.push_back(host_.pair(kind, kind));
  }
}

bool VmPacking::fits(std::size_t hosts, TerminalMeter& meter) {
  if (parting_) state_ = *parting_;
  parting_.reset();
  // Hosts of a file are numbered in its order: a larger part of them has others in between.
  if (!is_compiled_ || !host_.is_prefix_of_larger(hosts)) {
    parting_ = State{.host_of = std::vector<HostIndex>(vms_.start.size(), kNoHost)};
  }
  fill_hosts(hosts);
  const StopToken stop = current_stop_token();
  for (; state_.position < end_; ++state_.position) {
    if (state_.position % kEventsBetweenPolls == 0) stop.check();
    if (state_.position % kEventsBetweenReports == 0) meter.update(state_.position, end_);
    const ScheduledEvent& event = vms_.events[state_.position];
    if (event.is_departure()) {
      depart(event);
    } else if (!arrive(event)) {
      if (!parting_ && every_added_kind_is_idle()) never_fits_ = event.instance;
      return false;
    }
  }
  return true;
}

/// Makes the datacenter and puts onto it what runs.
void VmPacking::fill_hosts(std::size_t count) {
  kind_of_ = host_.kinds_of(count);
  hosts_.emplace(host_.table(count), Allocator{.vm = chain_}, 0, vms_.make_placements());
  for (std::size_t i = 0; i < state_.position; ++i) {
    const ScheduledEvent& event = vms_.events[i];
    const HostIndex host = state_.host_of[event.instance];
    if (event.is_departure() || host == kNoHost) continue;
    hosts_->place_vm(event.instance, vms_.resources(event), host);
  }
  view_ = hosts_->table().view();
  idle_.assign(host_.kinds().size(), 0);
  for (HostIndex host = 0; host < count; ++host) {
    if (view_.num_vms[host] == 0) ++idle_[kind_of_[host]];
  }
}

void VmPacking::place(HostIndex host, const ScheduledEvent& event) {
  if (view_.num_vms[host] == 0) --idle_[kind_of_[host]];
  hosts_->place_vm(event.instance, vms_.resources(event), host);
  state_.host_of[event.instance] = host;
}

void VmPacking::depart(const ScheduledEvent& event) {
  HostIndex& host = state_.host_of[event.instance];
  hosts_->remove_vm(event.instance, vms_.resources(event), host);
  if (view_.num_vms[host] == 0) ++idle_[kind_of_[host]];
  host = kNoHost;
}

/// Places a VM; false when it finds no host.
bool VmPacking::arrive(const ScheduledEvent& event) {
  Request request = vms_.request(event);
  request.placement = hosts_->placement_of(event.instance);
  const HostIndex host = hosts_->first_ranked(request);
  if (host == kNoHost) return false;
  if (!parting_ && added_host_may_win(host, request)) parting_ = state_;
  place(host, event);
  return true;
}

bool VmPacking::every_added_kind_is_idle() const {
  for (std::size_t kind = 0; kind < idle_.size(); ++kind) {
    if (host_.grows(kind) && idle_[kind] == 0) return false;
  }
  return true;
}

bool VmPacking::added_host_may_win(HostIndex chosen, const Request& request) {
  for (std::size_t kind = 0; kind < idle_.size(); ++kind) {
    if (idle_[kind] == 0 && host_.grows(kind) && idle_host_would_win(chosen, kind, request)) {
      return true;
    }
  }
  return false;
}

bool VmPacking::idle_host_would_win(HostIndex chosen, std::size_t kind, const Request& request) {
  if (!compares_two_hosts_) return true;  // perhaps
  HostTable& pair = pairs_[kind];
  const ResourceVector total = view_[chosen].total();
  pair.replace(0, {.name = {},
                   .total = total,
                   .vm_used = total - hosts_->table().free(chosen, Sees::kVms),
                   .num_vms = view_.num_vms[chosen],
                   .place = view_.place[chosen]});
  chain_->weigh(pair.view(), request, scratch_, ranked_);
  const RankedHost* best = nullptr;
  for (const RankedHost& host : ranked_) {
    if (best == nullptr || host.ranks_before(*best)) best = &host;
  }
  return best != nullptr && best->host == 1;
}

constexpr std::string_view kRejectedVmRemedy =
    "give 'hosts' instead of 'headroom_percent' to count such VMs as rejected";

/// From one size that is tried to the next. A thousandth of the lower bound: up to 1,999 hosts
/// every size is tried; a whole zone's result is at most 0.1 % of it above the first that fits.
std::size_t step_from(std::size_t lower_bound) {
  return std::max<std::size_t>(1, lower_bound / 1000);
}

/// The fewest hosts that hold a peak if nothing is lost to packing. Every VM fits a host.
std::size_t lower_bound_of(const EventSchedule& vms, const HostMix& host) {
  HostMix::Sum now;
  HostMix::Sum peak;
  for (const ScheduledEvent& event : vms.events) {
    const ResourceVector& size = vms.resources(event);
    const std::int64_t sign = event.is_departure() ? -1 : 1;
    now.vcpus += sign * size.vcpus;
    now.memory_mb += sign * size.memory_mb;
    now.disk_gb += sign * size.disk_gb;
    peak.vcpus = std::max(peak.vcpus, now.vcpus);
    peak.memory_mb = std::max(peak.memory_mb, now.memory_mb);
    peak.disk_gb = std::max(peak.disk_gb, now.disk_gb);
  }
  return std::max<std::size_t>(1, host.fewest_with(peak).value_or(kMaxHosts));
}

std::string hosts_have(const HostMix& host, const SizeWords& words) {
  const ResourceVector total = host.largest_total();
  const std::string size = size_text(words, total.vcpus, total.memory_mb, total.disk_gb);
  if (host.is_plain()) return fmt::format("more than a host has ({})", size);
  return fmt::format("more than any host has (the largest amounts: {})", size);
}

}  // namespace

void require_every_vm_fits(const Workload& workload, const HostMix& host, std::string_view remedy,
                           const VcpusUnit& unit) {
  const SizeWords words = size_words(unit);
  for (const WorkloadRow& row : workload.rows) {
    const ResourceVector& size = row.resources;
    if (row.instance_class != InstanceClass::kVm || host.fits_an_empty_host(size)) continue;
    if (!starts_in_time(row, workload.window)) continue;
    const std::string doubt = size_sums(workload).host_doubt(host.largest_total(), unit);
    throw ConfigError(fmt::format(
        "workload '{}': VM '{}' asks for {}, {}, so no datacenter holds all VMs; {}{}",
        workload.name, row.id, size_text(words, size.vcpus, size.memory_mb, size.disk_gb),
        hosts_have(host, words), remedy, doubt.empty() ? "" : ". All " + doubt));
  }
}

bool fits_every_vm(const Workload& workload, const HostMix& host) {
  return std::ranges::all_of(workload.rows, [&](const WorkloadRow& row) {
    return row.is_spot() || host.fits_an_empty_host(row.resources);
  });
}

std::string oversized_warning(const Workload& workload, const HostMix& host,
                              const VcpusUnit& unit) {
  const WorkloadRow* first = nullptr;
  std::size_t vms = 0;
  std::size_t spots = 0;
  for (const WorkloadRow& row : workload.rows) {
    if (host.fits_an_empty_host(row.resources) || !starts_in_time(row, workload.window)) continue;
    if (first == nullptr) first = &row;
    ++(row.is_spot() ? spots : vms);
  }
  if (first == nullptr) return {};
  const SizeWords words = size_words(unit);
  const ResourceVector& size = first->resources;
  return fmt::format(
      "{}: requests larger than every host count as rejected: {} VM{}, {} spot{}; the first, '{}', "
      "asks for {}, {}",
      workload.name, vms, vms == 1 ? "" : "s", spots, spots == 1 ? "" : "s", first->id,
      size_text(words, size.vcpus, size.memory_mb, size.disk_gb), hosts_have(host, words));
}

std::vector<std::string> host_warnings(const Workload& workload, const HostMix& host,
                                       const VcpusUnit& unit, const RunResult& run,
                                       std::string_view consequence) {
  std::vector<std::string> warnings;
  std::string oversized = oversized_warning(workload, host, unit);
  if (!oversized.empty()) warnings.push_back(std::move(oversized));
  const std::uint64_t homeless = run.vm_rejected - run.vm_too_large;
  if (homeless > 0) {
    warnings.push_back(
        fmt::format("{}: {} of {} VMs found no host on these hosts; on hosts that hold them, {}",
                    workload.name, homeless, run.vm_requests, consequence));
  }
  return warnings;
}

DatacenterSize smallest_datacenter(const Workload& workload, const EventSchedule& vms,
                                   const HostMix& host, const ChainSpec& vm, const VcpusUnit& unit,
                                   std::string_view remedy) {
  require_every_vm_fits(workload, host, remedy, unit);
  DatacenterSize size;
  size.lower_bound = lower_bound_of(vms, host);
  size.hosts = size.lower_bound;
  TerminalMeter meter("", MeterUnit::kEvents);
  VmPacking packing(vms, host, vm);
  for (;; size.hosts += step_from(size.lower_bound)) {
    meter.rename(fmt::format("sizing {} for {}, {} hosts", workload.name, vm.label, size.hosts));
    if (packing.fits(size.hosts, meter)) return size;
    if (const std::optional<InstanceIndex> vm_without_host = packing.never_fits()) {
      throw ConfigError(fmt::format(
          "workload '{}': however many hosts there are, VM '{}' finds none under {} for what it "
          "asks beside room (zone, extra specs, server group); {}",
          workload.name, workload.rows[*vm_without_host].id, vm.label, kRejectedVmRemedy));
    }
    if (size.hosts >= kMaxHosts) {
      throw ConfigError(fmt::format("workload '{}': {} hosts do not hold all VMs under {}",
                                    workload.name, size.hosts, vm.label));
    }
  }
}

std::size_t fewest_hosts(const Workload& workload, const EventSchedule& vms, const HostMix& host,
                         std::span<const ChainSpec> policies, const VcpusUnit& unit) {
  std::size_t fewest = kMaxHosts;
  for (const ChainSpec& vm : policies) {
    fewest = std::min(fewest, smallest_datacenter(workload, vms, host, vm, unit).hosts);
  }
  return fewest;
}

std::size_t with_headroom(std::size_t hosts, double percent) {
  return hosts +
         static_cast<std::size_t>(std::llround(static_cast<double>(hosts) * percent / 100.0));
}

}  // namespace cospot
