#include "sim_harness/provider/sizing/vm_packing.hpp"

#include <algorithm>

#include "sim_harness/provider/run/allocator.hpp"

namespace cospot {
namespace {

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

}  // namespace

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

}  // namespace cospot
