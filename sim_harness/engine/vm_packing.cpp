#include "sim_harness/engine/vm_packing.hpp"

#include <algorithm>

#include "sim_harness/engine/allocator.hpp"

namespace cospot {
namespace {

/// Often enough also where each event scans millions of hosts or asks Python.
constexpr std::size_t kEventsBetweenPolls = 16;
constexpr std::size_t kEventsBetweenReports = 65536;

/// A policy written in Python may keep a count or look at how many hosts there are.
bool is_compiled(const ChainSpec& chain) {
  return std::ranges::none_of(chain.filters, [](const auto& spec) { return bool(spec.make); }) &&
         std::ranges::none_of(chain.weighers, [](const auto& spec) { return bool(spec.make); });
}

/// Whether the order is that of one weigher's raw weights (see Chain): then how two hosts stand to
/// each other does not depend on what other hosts there are. Normalised weights depend on all.
bool ranks_by_raw_weights(const Chain& chain) {
  if (chain.weighers().size() != 1 || chain.weighers()[0].multiplier <= 0) return false;
  const Weigher& weigher = *chain.weighers()[0].weigher;
  return !weigher.minval().has_value() && !weigher.maxval().has_value();
}

}  // namespace

VmPacking::VmPacking(const EventSchedule& vms, const ResourceVector& host, const ChainSpec& vm)
    : vms_(vms),
      host_(host),
      chain_(make_chain(vm, ChainSide::kVm)),
      compares_two_hosts_(ranks_by_raw_weights(*chain_)),
      state_{.host_of = std::vector<HostIndex>(vms.start.size(), kNoHost)},
      end_(vms.events_to_last_arrival),
      pair_(HostTable::uniform(2, host)) {
  // The run with more hosts then begins anew.
  if (!is_compiled(vm)) parting_ = state_;
}

bool VmPacking::fits(std::size_t hosts, TerminalMeter& meter) {
  const bool parts_at_once = parting_ && parting_->position == 0;
  if (parting_) state_ = *parting_;
  if (!parts_at_once) parting_.reset();
  fill_hosts(hosts);
  const StopToken stop = current_stop_token();
  for (; state_.position < end_; ++state_.position) {
    if (state_.position % kEventsBetweenPolls == 0) stop.check();
    if (state_.position % kEventsBetweenReports == 0) meter.update(state_.position, end_);
    const ScheduledEvent& event = vms_.events[state_.position];
    if (event.is_departure()) {
      depart(event);
    } else if (!arrive(event)) {
      return false;
    }
  }
  return true;
}

/// Makes the datacenter and puts onto it what runs.
void VmPacking::fill_hosts(std::size_t count) {
  ranking_.reset();
  hosts_.emplace(HostTable::uniform(count, host_));
  for (std::size_t i = 0; i < state_.position; ++i) {
    const ScheduledEvent& event = vms_.events[i];
    const HostIndex host = state_.host_of[event.instance];
    if (!event.is_departure() && host != kNoHost) hosts_->add_vm(host, vms_.resources(event));
  }
  view_ = hosts_->view();
  idle_ = static_cast<std::size_t>(std::ranges::count(view_.num_vms, 0));
  ranking_ = chain_->make_ranking(*hosts_);
}

void VmPacking::place(HostIndex host, const ScheduledEvent& event) {
  if (view_.num_vms[host] == 0) --idle_;
  hosts_->add_vm(host, vms_.resources(event));
  state_.host_of[event.instance] = host;
  ranking_->host_changed(host);
}

void VmPacking::depart(const ScheduledEvent& event) {
  HostIndex& host = state_.host_of[event.instance];
  hosts_->remove_vm(host, vms_.resources(event));
  if (view_.num_vms[host] == 0) ++idle_;
  ranking_->host_changed(host);
  host = kNoHost;
}

/// Places a VM; false when it finds no host.
bool VmPacking::arrive(const ScheduledEvent& event) {
  const Request request = vms_.request(event);
  ranking_->start(request);
  const HostIndex host = ranking_->next();
  if (host == kNoHost) return false;
  if (idle_ == 0 && !parting_ && idle_host_would_win(host, request)) parting_ = state_;
  place(host, event);
  return true;
}

bool VmPacking::idle_host_would_win(HostIndex chosen, const Request& request) {
  if (!compares_two_hosts_) return true;  // perhaps
  pair_.replace(0, {.name = {},
                    .total = host_,
                    .vm_used = host_ - hosts_->free(chosen, Sees::kVms),
                    .num_vms = view_.num_vms[chosen]});
  chain_->weigh(pair_.view(), request, scratch_, ranked_);
  const RankedHost* best = nullptr;
  for (const RankedHost& host : ranked_) {
    if (best == nullptr || host.ranks_before(*best)) best = &host;
  }
  return best != nullptr && best->host == 1;
}

}  // namespace cospot
