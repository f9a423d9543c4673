#include "sim_harness/studies/classes/placed_hosts.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/digest.hpp"
#include "guarantees/pricing/server_idle.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/provider/loop/provider_run.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/sizing/datacenter_size.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"

namespace cospot {
namespace {

/// Notes when hosts are free of VMs, and how long spots live.
class HostWatch final : public RunObserver {
 public:
  HostWatch(const Workload& workload, std::size_t hosts)
      : workload_(workload),
        vms_(hosts, 0),
        free_since_(hosts, SimTime::min()),
        spot_since_(workload.rows.size(), SimTime(0)) {}

  void placed(const Request& request, HostIndex host) override {
    if (request.is_spot()) {
      spot_since_[request.instance] = request.time;
      return;
    }
    if (vms_[host]++ > 0) return;
    if (request.time > free_since_[host]) {
      periods_.push_back({host, free_since_[host], request.time, true});
    }
  }

  void evicted(InstanceIndex victim, HostIndex /*host*/, const Request& for_vm) override {
    spot_ran(victim, for_vm.time);
    lives_.push_back(std::exchange(life_, 0));
  }

  void departed(InstanceIndex instance, HostIndex host, SimTime time) override {
    if (workload_.rows[instance].is_spot()) return spot_ran(instance, time);
    if (--vms_[host] == 0) free_since_[host] = time;
  }

  /// The run is over.
  [[nodiscard]] PlacedHosts finish() {
    for (std::size_t host = 0; host < vms_.size(); ++host) {
      if (vms_[host] > 0 || free_since_[host] >= workload_.window) continue;
      periods_.push_back({host, free_since_[host], workload_.window, false});
    }
    return {.hosts = vms_.size(),
            .window = {SimTime(0), workload_.window},
            .periods = std::move(periods_),
            .spot_lives = std::move(lives_)};
  }

 private:
  void spot_ran(InstanceIndex spot, SimTime until) {
    const SimTime from = std::max(spot_since_[spot], SimTime(0));
    if (until > from) life_ += hours_of(until - from);
  }

  const Workload& workload_;
  std::vector<std::uint32_t> vms_;
  std::vector<SimTime> free_since_;
  std::vector<SimTime> spot_since_;
  std::vector<IdlePeriod> periods_;
  std::vector<double> lives_;
  double life_ = 0;
};

std::size_t host_count(const ProviderSettings& scenario, const Workload& workload) {
  const Headroom& size = scenario.sizes.front();
  if (!size.percent.has_value()) return size.hosts;
  const EventSchedule vms =
      make_schedule(workload, ScheduledClasses::kVmsOnly, scenario.host.isolated_tenants());
  return with_headroom(fewest_hosts(workload, vms, scenario.host, scenario.headroom_policies()),
                       *size.percent);
}

/// Numbers the hosts anew, the one that is revoked most often first.
void rank_hosts(PlacedHosts& hosts) {
  const std::vector<IdlePeriod> seen = periods_in(hosts, hosts.window);
  const std::vector<ServerIdle> idle = idle_by_server(seen, hosts.hosts);
  std::vector<std::size_t> order(hosts.hosts);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto is_before = [&idle](std::size_t a, std::size_t b) {
    const ServerIdle &one = idle[a], &other = idle[b];
    if (one.idle <= SimTime(0) || other.idle <= SimTime(0)) return one.idle < other.idle;
    const double left = one.mttr_hours(), right = other.mttr_hours();
    return left != right ? left < right : one.idle < other.idle;
  };
  std::ranges::stable_sort(order, is_before);
  std::vector<std::size_t> rank(hosts.hosts);
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  for (IdlePeriod& period : hosts.periods) period.server = rank[period.server];
  if (hosts.sizes.empty()) return;
  const std::vector<std::int64_t> sizes = hosts.sizes;
  for (std::size_t i = 0; i < order.size(); ++i) hosts.sizes[i] = sizes[order[i]];
}

std::string identity(const ProviderSettings& scenario, const std::string& workload_sha256) {
  return sha256_hex(workload_sha256 + compact_json(provider_table().json(scenario)));
}

}  // namespace

PlacedHosts run_and_watch(const ProviderSettings& scenario) {
  const Workload workload = load_workload(scenario.workloads.front());
  const RunSettings settings = run_settings_at(
      provider_table().at(scenario, Coordinates(provider_table().axis_names().size())),
      host_count(scenario, workload));
  const EventSchedule schedule =
      make_schedule(workload, ScheduledClasses::kVmsAndSpots, settings.host.isolated_tenants());
  ProviderRun run(workload, schedule, settings, settings.host.table(settings.hosts));
  HostWatch watch(workload, settings.hosts);
  run.engine().set_observer(&watch);
  run.run();
  PlacedHosts hosts = watch.finish();
  hosts.warnings = host_warnings(workload, settings.host, vcpus_unit_of(scenario.workloads.front()),
                                 run.engine().result(), "they are idle less");
  if (!settings.host.is_plain()) {
    const std::span<const ResourceAmount> vcpus = run.engine().hosts().view().vcpus_total;
    hosts.sizes.assign(vcpus.begin(), vcpus.end());
  }
  hosts.sha256 = identity(scenario, workload.sha256);
  rank_hosts(hosts);
  return hosts;
}

std::vector<IdlePeriod> periods_in(const PlacedHosts& hosts, TimeSpan span) {
  std::vector<IdlePeriod> found;
  for (IdlePeriod period : hosts.periods) {
    if (period.end <= span.begin || period.begin >= span.end) continue;
    period.begin = std::max(period.begin, span.begin);
    if (period.end >= span.end) {
      period.end = span.end;
      period.revoked = false;
    }
    found.push_back(period);
  }
  std::ranges::stable_sort(found, {}, &IdlePeriod::end);
  return found;
}

}  // namespace cospot
