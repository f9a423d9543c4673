#include "sim_harness/provider/disruptions/make_life_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "core/errors.hpp"
#include "core/random.hpp"

namespace cospot {
namespace {

SimTime microseconds(double amount, double unit) {
  return SimTime(static_cast<std::int64_t>(amount * unit));
}
constexpr double kPerHour = 3600e6;
constexpr double kPerDay = 24 * kPerHour;

/// A host draws by its number, so that the first hosts of a larger datacenter fare as those of a
/// smaller one.
Random draws_of(std::uint64_t seed, HostIndex host) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
  return Random(Random(seed).next_u64() + kGolden * (std::uint64_t{host} + 1));
}

/// So that memory suffices.
void require_few_outages(std::string_view key, std::size_t hosts, SimTime window, double days) {
  constexpr double kMostOutages = 1e8;
  const double windows = static_cast<double>(window.count()) / kPerDay / days;
  const double outages = windows * static_cast<double>(hosts);
  if (outages <= kMostOutages) return;
  throw ConfigError(
      fmt::format("disruptions: {}: about {:.0f} outages of {} hosts, expected at most {:.0f}", key,
                  outages, hosts, kMostOutages));
}

void draw_failures(const FailureRate& rate, SimTime window, std::size_t hosts,
                   std::vector<Outage>& outages) {
  require_few_outages("failures", hosts, window, rate.mtbf_days + rate.repair_h / 24);
  const SimTime repair = microseconds(rate.repair_h, kPerHour);
  for (HostIndex host = 0; host < hosts; ++host) {
    Random random = draws_of(rate.seed, host);
    SimTime time{0};
    for (;;) {
      const double days = random.exponential(1 / rate.mtbf_days);
      if (days * kPerDay >= static_cast<double>((window - time).count())) break;
      time += microseconds(days, kPerDay);
      outages.push_back({.host = host, .notice = time, .start = time, .end = time + repair});
      time += repair;
      if (time >= window) break;
    }
  }
}

void draw_maintenance(const MaintenanceRate& rate, SimTime window, std::size_t hosts,
                      std::vector<Outage>& outages) {
  require_few_outages("maintenance", hosts, window, rate.every_days);
  const SimTime period = microseconds(rate.every_days, kPerDay);
  for (HostIndex host = 0; host < hosts; ++host) {
    Random random = draws_of(rate.seed, host);
    SimTime start(
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(period.count()))));
    for (; start < window; start += period) {
      outages.push_back({.host = host,
                         .notice = start - microseconds(rate.notice_h, kPerHour),
                         .start = start,
                         .end = start + microseconds(rate.lasts_h, kPerHour),
                         .kind = OutageKind::kMaintenance});
    }
  }
}

/// Adds the outages of a file, host by host.
void add_named(const LifeFile<NamedOutage>& file, OutageKind kind, const HostTable& hosts,
               std::vector<Outage>& outages) {
  if (file.rows.empty()) return;
  std::unordered_map<std::string_view, HostIndex> number_of;
  for (HostIndex host = 0; host < hosts.size(); ++host) number_of[hosts.name(host)] = host;
  const std::size_t first = outages.size();
  for (const NamedOutage& row : file.rows) {
    const auto found = number_of.find(row.host);
    if (found == number_of.end()) {
      throw WorkloadError(
          fmt::format("{}:{}: there is no host '{}'; the datacenter has {} hosts, '{}' to '{}'",
                      file.path, row.line, row.host, hosts.size(), hosts.name(0),
                      hosts.name(static_cast<HostIndex>(hosts.size() - 1))));
    }
    outages.push_back({.host = found->second,
                       .notice = row.notice,
                       .start = row.start,
                       .end = row.end,
                       .kind = kind});
  }
  std::stable_sort(outages.begin() + static_cast<std::ptrdiff_t>(first), outages.end(),
                   [](const Outage& a, const Outage& b) { return a.host < b.host; });
}

void add_resizes(const LifeFile<NamedResize>& file, const Workload& workload,
                 std::vector<Resize>& resizes) {
  if (file.rows.empty()) return;
  std::unordered_map<std::string_view, InstanceIndex> number_of;
  for (const WorkloadRow& row : workload.rows) {
    number_of.emplace(row.id, static_cast<InstanceIndex>(number_of.size()));
  }
  for (const NamedResize& named : file.rows) {
    const auto refuse = [&](const std::string& what) {
      throw WorkloadError(fmt::format("{}:{}: {}", file.path, named.line, what));
    };
    const auto found = number_of.find(named.instance);
    if (found == number_of.end()) {
      refuse(fmt::format("workload '{}' has no request '{}'", workload.name, named.instance));
    }
    const WorkloadRow& row = workload.rows[found->second];
    if (row.is_spot()) {
      refuse(fmt::format("'{}' is a spot, expected a VM: spots keep their size", named.instance));
    }
    if (named.time <= row.start || named.time >= row.end) {
      refuse(fmt::format(
          "time_s is {}, expected a time inside the life of '{}' of workload '{}', after {}{}",
          seconds_text(named.time), named.instance, workload.name, seconds_text(row.start),
          row.end == kNever ? "" : fmt::format(" and before {}", seconds_text(row.end))));
    }
    if (named.time >= workload.window) continue;  // as requests that come so late
    resizes.push_back({.instance = found->second, .time = named.time, .size = named.size});
  }
  std::ranges::stable_sort(resizes, {}, &Resize::time);
}

}  // namespace

LifePlan make_life_plan(const LifeSettings& settings, const Workload& workload,
                        const HostTable& hosts) {
  LifePlan plan{.retries = settings.retries,
                .returning_spots = settings.returning_spots,
                .ends_stay = settings.ends_stay,
                .on_eviction = settings.on_eviction};
  const bool asks_again = plan.on_eviction && plan.on_eviction->what != OnEviction::kLose;
  if (asks_again && plan.returning_spots.patience == SimTime{0}) {
    plan.returning_spots = {.patience = kDay};
  }
  add_named(settings.failures, OutageKind::kFailure, hosts, plan.outages);
  if (settings.failure_rate) {
    draw_failures(*settings.failure_rate, workload.window, hosts.size(), plan.outages);
  }
  add_named(settings.maintenance, OutageKind::kMaintenance, hosts, plan.outages);
  if (settings.maintenance_rate) {
    draw_maintenance(*settings.maintenance_rate, workload.window, hosts.size(), plan.outages);
  }
  add_resizes(settings.resizes, workload, plan.resizes);
  return plan;
}

}  // namespace cospot
