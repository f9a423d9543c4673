#include "sim_harness/data/workloads/workload_info_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "core/model/revenue.hpp"
#include "sim_harness/base/text/amount_text.hpp"

namespace cospot {
namespace {

using Buffer = fmt::memory_buffer;

template <class... Values>
void add(Buffer& buffer, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(std::back_inserter(buffer), format, std::forward<Values>(values)...);
}

constexpr std::size_t kFlavorsShown = 10;

/// A time or a lifetime in days, as people compare them; files hold the exact value.
std::string days(SimTime time) {
  if (time == kNever) return "never";
  return fmt::format("{:.3f} d",
                     static_cast<double>(time.count()) / static_cast<double>(kDay.count()));
}

/// A lifetime in the unit that suits it.
std::string lifetime(SimTime time) {
  const double seconds = static_cast<double>(time.count()) / 1e6;
  if (time == kNever) return "never";
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  if (seconds < 2 * 3600) return fmt::format("{:.1f} min", seconds / 60);
  if (seconds < 2 * 86400) return fmt::format("{:.1f} h", seconds / 3600);
  return fmt::format("{:.1f} d", seconds / 86400);
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

std::uint64_t sum(const std::array<std::uint64_t, 2>& classes) { return classes[0] + classes[1]; }

void add_counts(Buffer& text, const WorkloadInfo& info, const VcpusUnit& unit) {
  add(text, "{:<22}{:>14}{:>14}{:>14}\n", "", "VMs", "spots", "both");
  const auto row = [&](std::string_view name, std::uint64_t vms, std::uint64_t spots,
                       std::uint64_t both) {
    add(text, "{:<22}{:>14}{:>14}{:>14}\n", name, vms, spots, both);
  };
  row("requests", info.requests[0], info.requests[1], sum(info.requests));
  row("before the window", info.early[0], info.early[1], sum(info.early));
  if (sum(info.outside) > 0) {
    row("after the window", info.outside[0], info.outside[1], sum(info.outside));
  }
  const std::uint64_t vms_never = info.lifetimes[0].never_ended;
  const std::uint64_t spots_never = info.lifetimes[1].never_ended;
  row("never ended", vms_never, spots_never, vms_never + spots_never);
  row("tenants", info.tenants[0], info.tenants[1], info.all_tenants);
  add(text, "flavors {}, first request {}, last request {}\n", info.flavors.size(),
      days(info.first_start), days(info.last_start));
  const auto days = [&](Revenue revenue) {
    constexpr double kOneDaySeconds = 86400;
    return amount_text(vcpu_seconds(revenue) / kOneDaySeconds * unit.vcpus);
  };
  const char* const name = unit.is_relative ? "unit-days" : "vCPU-days";
  add(text, "revenue requested in the window: VMs {} {}, spots {} {}\n", days(info.revenue[0]),
      name, days(info.revenue[1]), name);
}

void add_peak(Buffer& text, std::string_view name, const PeakDemand& peak, const SizeWords& words) {
  const auto when = [](std::int64_t amount, SimTime time) {
    return amount == 0 ? std::string() : fmt::format(" ({})", days(time));
  };
  const ResourceTotal& amount = peak.amount;
  add(text, "peak of {}: {} {}{}, {} {}{}, {} {}{}\n", name, words.count_of_vcpus(amount.vcpus),
      words.vcpus, when(amount.vcpus, peak.vcpus_at), count_text(amount.memory_mb), words.memory,
      when(amount.memory_mb, peak.memory_at), count_text(amount.disk_gb), words.disk,
      when(amount.disk_gb, peak.disk_at));
}

void add_bound(Buffer& text, std::string_view name, const HostBound& bound, const HostMix& host,
               const SizeWords& words) {
  const std::string types = types_text(host, static_cast<std::size_t>(bound.least_hosts));
  std::string_view binding = bound.binding;
  if (binding == "vcpus") binding = words.vcpus;
  if (binding == "memory_mb") binding = "memory";
  if (binding == "disk_gb") binding = "disk";
  add(text, "  {}: at least {} hosts{}, bound by {} ({} {}, memory {}, disk {})\n", name,
      bound.least_hosts, types.empty() ? "" : fmt::format(" ({})", types), binding, words.vcpus,
      bound.hosts.vcpus, bound.hosts.memory_mb, bound.hosts.disk_gb);
}

void add_bounds(Buffer& text, const WorkloadInfo& info, const SizeWords& words) {
  if (!info.host.has_value()) return;
  const HostMix& host = *info.host;
  if (host.is_plain()) {
    const ResourceVector total = host.largest_total();
    add(text, "on hosts of {}:\n", size_text(words, total.vcpus, total.memory_mb, total.disk_gb));
  } else {
    add(text, "on hosts of types in proportion to {}:\n", types_text(host, host.declared()));
  }
  add_bound(text, "VMs", info.vm_bound, host, words);
  add_bound(text, "VMs and spots", info.total_bound, host, words);
  add(text, "  {} requests are larger than {} empty host\n", info.vm_bound.too_large,
      host.is_plain() ? "an" : "any");
}

void add_lifetimes(Buffer& text, const WorkloadInfo& info) {
  add(text, "\nlifetimes; an instance that never ended counts as the longest\n{:<8}{:>13}", "",
      "never ended");
  for (const int quantile : kLifetimePercents) add(text, "{:>11}", fmt::format("{} %", quantile));
  for (std::size_t i = 0; i < 2; ++i) {
    const Lifetimes& lifetimes = info.lifetimes[i];
    add(text, "\n{:<8}{:>13}", i == 0 ? "VMs" : "spots",
        fmt::format("{:.1f} %", percent(lifetimes.never_ended, lifetimes.instances)));
    for (const SimTime quantile : lifetimes.quantiles)
      add(text, "{:>11}", lifetimes.instances == 0 ? "-" : lifetime(quantile));
  }
  add(text, "\n");
}

void add_flavors(Buffer& text, const WorkloadInfo& info, const SizeWords& words) {
  const std::size_t shown = std::min(kFlavorsShown, info.flavors.size());
  const std::size_t width = std::max<std::size_t>(12, words.memory.size() + 3);
  add(text, "\nmost requested flavors ({} of {})\n{:>10}{:>{}}{:>10}{:>12}{:>12}{:>9}\n", shown,
      info.flavors.size(), words.vcpus, words.memory, width, words.disk, "VMs", "spots", "share");
  for (std::size_t i = 0; i < shown; ++i) {
    const FlavorCount& flavor = info.flavors[i];
    add(text, "{:>10}{:>{}}{:>10}{:>12}{:>12}{:>9}\n", words.count_of_vcpus(flavor.resources.vcpus),
        count_text(flavor.resources.memory_mb), width, count_text(flavor.resources.disk_gb),
        flavor.vms, flavor.spots,
        fmt::format("{:.1f} %", percent(flavor.vms + flavor.spots, sum(info.requests))));
  }
}

void add_hours(Buffer& text, const WorkloadInfo& info) {
  add(text, "\nrequests inside the window by hour of the day (day 0 starts with the window)\n");
  add(text, "{:>6}{:>12}{:>12}\n", "hour", "VMs", "spots");
  for (std::size_t hour = 0; hour < 24; ++hour) {
    add(text, "{:>6}{:>12}{:>12}\n", hour, info.arrivals_by_hour[0][hour],
        info.arrivals_by_hour[1][hour]);
  }
}

/// The origin of a window that is not the default.
std::string_view window_origin(const Workload& workload) {
  if (workload.window_is_stated) return " (stated)";
  return workload.window == kDefaultWindow ? "" : " (derived from the last request)";
}

}  // namespace

std::string workload_info_text(const Workload& workload, const WorkloadInfo& info,
                               const VcpusUnit& unit) {
  Buffer text;
  add(text, "{}\nSHA-256 {}, window {}{}\n\n", workload.name, workload.sha256,
      days(workload.window), window_origin(workload));
  if (unit != VcpusUnit{}) {
    add(text, "{}\n",
        unit.is_relative ? "sizes are in units: shares of a machine"
                         : fmt::format("a vcpu counts {:g} vCPU", unit.vcpus));
  }
  const SizeWords words = size_words(unit);
  add_counts(text, info, unit);
  add_peak(text, "VMs", info.vm_peak, words);
  add_peak(text, "VMs and spots", info.total_peak, words);
  add_bounds(text, info, words);
  add_lifetimes(text, info);
  add_flavors(text, info, words);
  add_hours(text, info);
  return fmt::to_string(text);
}

}  // namespace cospot
