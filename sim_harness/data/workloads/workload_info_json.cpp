#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "core/model/revenue.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/data/workloads/window.hpp"
#include "sim_harness/data/workloads/workload_info_text.hpp"

namespace cospot {
namespace {

std::string json_seconds(SimTime time) { return time == kNever ? "null" : seconds_text(time); }

std::string json_amounts(const ResourceTotal& amounts) {
  return fmt::format(R"({{"vcpus": {}, "memory_mb": {}, "disk_gb": {}}})", amounts.vcpus,
                     amounts.memory_mb, amounts.disk_gb);
}

std::string json_peak(const PeakDemand& peak) {
  return fmt::format(R"({{"amount": {}, "vcpus_at_s": {}, "memory_at_s": {}, "disk_at_s": {}}})",
                     json_amounts(peak.amount), seconds_text(peak.vcpus_at),
                     seconds_text(peak.memory_at), seconds_text(peak.disk_at));
}

std::string json_bound(const HostBound& bound, const HostMix& host) {
  std::string types;
  if (!host.is_plain()) {
    Json json = Json::object();
    for (const auto& [type, count] : types_of(host, static_cast<std::size_t>(bound.least_hosts))) {
      json[type] = count;
    }
    types = fmt::format(R"(, "types": {})", text_of(json));
  }
  return fmt::format(R"({{"least_hosts": {}, "binding": "{}", "hosts": {}{}}})", bound.least_hosts,
                     bound.binding, json_amounts(bound.hosts), types);
}

/// The hosts as JSON: the totals of one, or their kinds.
std::string json_hosts(const HostMix& host) {
  const auto amounts = [](const ResourceVector& total) {
    return json_amounts({total.vcpus, total.memory_mb, total.disk_gb});
  };
  if (host.is_plain()) return fmt::format(R"("total": {})", amounts(host.largest_total()));
  std::vector<std::string> kinds;
  for (const HostKind& kind : host.kinds()) {
    kinds.push_back(fmt::format(R"({{"type": {}, "count": {}, "zone": {}, "total": {}}})",
                                text_of(kind.type), kind.count,
                                text_of(host.places()[kind.place].zone), amounts(kind.total)));
  }
  return fmt::format(R"("types": [{}])", fmt::join(kinds, ", "));
}

std::string json_host(const WorkloadInfo& info) {
  if (!info.host.has_value()) return "null";
  const HostMix& host = *info.host;
  return fmt::format(R"({{{}, "vms": {}, "vms_and_spots": {}, "too_large_requests": {}}})",
                     json_hosts(host), json_bound(info.vm_bound, host),
                     json_bound(info.total_bound, host), info.vm_bound.too_large);
}

std::string json_class(const WorkloadInfo& info, InstanceClass instance_class) {
  const auto which = static_cast<std::size_t>(instance_class);
  const Lifetimes& lifetimes = info.lifetimes[which];
  std::vector<std::string> quantiles;
  for (std::size_t i = 0; i < kLifetimePercents.size(); ++i) {
    const bool known = lifetimes.instances > 0;
    quantiles.push_back(fmt::format(R"("{}": {})", kLifetimePercents[i],
                                    known ? json_seconds(lifetimes.quantiles[i]) : "null"));
  }
  return fmt::format(
      R"({{"requests": {}, "early": {}, "outside_window": {}, "never_ended": {}, "tenants": {}, )"
      R"("revenue_requested_vcpu_s": {}, "lifetime_s_by_percent": {{{}}}, )"
      R"("arrivals_by_hour": [{}]}})",
      info.requests[which], info.early[which], info.outside[which], lifetimes.never_ended,
      info.tenants[which], revenue_text(info.revenue[which]), fmt::join(quantiles, ", "),
      fmt::join(info.arrivals_by_hour[which], ", "));
}

std::string json_flavor(const FlavorCount& flavor) {
  return fmt::format(R"({{"vcpus": {}, "memory_mb": {}, "disk_gb": {}, "vms": {}, "spots": {}}})",
                     flavor.resources.vcpus, flavor.resources.memory_mb, flavor.resources.disk_gb,
                     flavor.vms, flavor.spots);
}

}  // namespace

std::string workload_info_json(const Workload& workload, const WorkloadInfo& info) {
  std::vector<std::string> flavors;
  for (const FlavorCount& flavor : info.flavors) flavors.push_back(json_flavor(flavor));
  return fmt::format(
      R"({{"name": {}, "sha256": "{}", "window_s": {}, "window_days": {}, )"
      R"("window_stated": {}, "first_start_s": {}, "last_start_s": {}, "tenants": {}, "vms": {}, )"
      R"("spots": {}, "vm_peak": {}, "total_peak": {}, "host": {}, "flavors": [{}]}})"
      "\n",
      text_of(workload.name), workload.sha256, seconds_text(workload.window),
      window_days_text(workload.window), workload.window_is_stated, seconds_text(info.first_start),
      seconds_text(info.last_start), info.all_tenants, json_class(info, InstanceClass::kVm),
      json_class(info, InstanceClass::kSpot), json_peak(info.vm_peak), json_peak(info.total_peak),
      json_host(info), fmt::join(flavors, ", "));
}

}  // namespace cospot
