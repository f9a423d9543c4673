#include "sim_harness/studies/classes/capacity_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "guarantees/pricing/idle_periods.hpp"
#include "guarantees/pricing/server_idle.hpp"
#include "sim_harness/base/files/gzip.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/data/jobs/job_log.hpp"
#include "sim_harness/data/workloads/csv_workload.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/provider/loop/provider_run.hpp"
#include "sim_harness/provider/policies/policy_loader.hpp"
#include "sim_harness/provider/run/event_schedule.hpp"
#include "sim_harness/provider/sizing/datacenter_size.hpp"
#include "sim_harness/studies/compare/sweep_file.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_inputs.hpp"
#include "sim_harness/studies/provider/provider_settings.hpp"
#include "sim_harness/studies/provider/study_yaml.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {
namespace {

/// The sellable time of a run's hosts: when each was free of VMs.
struct PlacedHosts {
  std::size_t hosts = 0;
  TimeSpan window{};
  /// The idle periods of all hosts; one that began before the window keeps its true beginning.
  /// Servers are numbered by rank: the host with the most revocations comes first.
  std::vector<IdlePeriod> periods{};
  std::vector<std::int64_t> sizes{};    ///< vcpus of each server; empty: all are equal
  std::vector<double> spot_lives{};     ///< CapacityTrace::spot_lives
  std::vector<std::string> warnings{};  ///< of VMs without a host
  std::string sha256{};                 ///< of the workload and the scenario
  std::string simulated{};              ///< CapacityTrace::simulated
};

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

/// The parts of the periods within `span`, by the rules of for_each_idle_period(), in order of
/// their ends.
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

/// Runs a scenario and records when its hosts are free. Errors: those of the run.
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
  hosts.simulated = simulated_text(settings);
  rank_hosts(hosts);
  return hosts;
}

/// The demand of a trace and the time that its days are counted from.
struct TraceDemand {
  std::string sha256{};
  Demand demand{};
  SimTime day_zero{0};
  SimTime end{0};
  std::int64_t server_vcpus = 0;  ///< in the unit of the workload; 0: of jobs
};

SimTime days(double count) {
  return SimTime(std::llround(count * static_cast<double>(kDay.count())));
}

double day_count(SimTime time) {
  return static_cast<double>(time.count()) / static_cast<double>(kDay.count());
}

/// The part that the options choose.
TimeSpan span_of(const TraceDemand& trace, const TraceOptions& options, const std::string& label) {
  const double most = std::ceil(day_count(trace.end - trace.day_zero));
  const auto refuse = [&](std::string_view what, double day, std::string_view expected) {
    throw ConfigError(fmt::format("{}: {} is {}, expected {}", label, what, day, expected));
  };
  TimeSpan span{trace.day_zero + days(options.from_day), trace.end};
  if (!(options.from_day >= 0) || !(options.from_day < most)) {
    refuse("from-day", options.from_day, fmt::format("a day from 0 to below {}", most));
  }
  if (options.to_day) {
    if (!(*options.to_day > options.from_day) || !(*options.to_day <= most)) {
      refuse("to-day", *options.to_day,
             fmt::format("a day after from-day ({}), to at most {}", options.from_day, most));
    }
    span.end = trace.day_zero + days(*options.to_day);
  }
  if (span.begin >= span.end) {
    refuse("from-day", options.from_day,
           fmt::format("a day before {:.2f}, where the trace ends",
                       day_count(span.end - trace.day_zero)));
  }
  return span;
}

TraceDemand demand_of_jobs(std::string_view text, const std::string& label) {
  TraceDemand trace;
  DemandSum sum;
  JobWindow window;
  std::vector<JobLogStatement> statements;
  visit_jobs(text, label, statements, [&](const Job& job) {
    if (!job.has_run()) return;
    window.add(job);
    sum.add(job.start(), job.start() + *job.duration, job.width());
  });
  require_time(window, label);
  trace.demand = sum.finish();
  trace.day_zero = window.begin;
  trace.end = window.end;
  return trace;
}

TraceDemand demand_of_vms(const Workload& workload, std::optional<std::int64_t> server_vcpus) {
  TraceDemand trace{.sha256 = workload.sha256};
  const std::int64_t unit = server_vcpus.value_or(smallest_usual_vcpus(workload));
  trace.server_vcpus = unit;
  DemandSum sum;
  for (const WorkloadRow& row : workload.rows) {
    if (row.is_spot() || !starts_in_time(row, workload.window)) continue;
    sum.add(row.start, row.end, (row.resources.vcpus + unit - 1) / unit);
  }
  trace.demand = sum.finish();
  if (trace.demand.steps.empty()) {
    throw WorkloadError(workload.name + ": has no VM that runs, expected some");
  }
  trace.end = workload.window;
  return trace;
}

/// Reads a file once: a log of jobs by its first line, else a workload.
TraceDemand read_demand(const CapacityTraceSpec& spec, const TraceOptions& options) {
  if (!spec.source.is_file()) {
    return demand_of_vms(load_workload(spec.source), options.server_vcpus);
  }
  std::string bytes = read_stored_file(spec.source.file);
  std::string sha256 = sha256_hex(bytes);
  const std::string text = unpacked_text(std::move(bytes), spec.label);
  const bool is_jobs = job_log_format(text) != JobLogFormat::kNone;
  TraceDemand trace = is_jobs
                          ? demand_of_jobs(text, spec.label)
                          : demand_of_vms(parse_workload(text, spec.label), options.server_vcpus);
  trace.sha256 = std::move(sha256);
  return trace;
}

CapacityTrace ranked_trace(const CapacityTraceSpec& spec, const TraceOptions& options) {
  TraceDemand read = read_demand(spec, options);
  const TimeSpan span = span_of(read, options, spec.label);
  CapacityTrace trace{.label = spec.label, .sha256 = read.sha256};
  trace.day_count = day_count(read.end - read.day_zero);
  if (read.server_vcpus > 0) {
    const VcpusUnit unit = vcpus_unit_of(spec.source);
    const SizeWords words = size_words(unit);
    trace.server_size =
        fmt::format("of {} {}", words.count_of_vcpus(read.server_vcpus), words.vcpus);
    if (!unit.is_relative) {
      trace.server_vcpus = static_cast<double>(read.server_vcpus) * unit.vcpus;
    }
  } else {
    trace.server_size = "of 1 processor or node of the log";
  }
  const auto demand = std::make_shared<const Demand>(std::move(read.demand));
  const std::size_t servers = options.servers.value_or(static_cast<std::size_t>(demand->peak()));
  trace.record = idle_record(*demand, servers, span);
  trace.record.periods = [demand, inner = trace.record.periods](const auto& visit) {
    inner(visit);
  };
  return trace;
}

}  // namespace

CapacityTraceSpec parse_trace_spec(const std::string& name) {
  return {.label = name, .source = parse_workload_spec(name)};
}

std::int64_t smallest_usual_vcpus(const Workload& workload) {
  std::map<std::int64_t, std::size_t> sizes;
  std::size_t vms = 0;
  for (const WorkloadRow& row : workload.rows) {
    if (row.is_spot()) continue;
    ++sizes[row.resources.vcpus];
    ++vms;
  }
  for (const auto& [vcpus, count] : sizes) {
    if (20 * count >= vms) return vcpus;
  }
  return sizes.empty() ? 1 : sizes.begin()->first;  // twenty and more sizes, all of them rare
}

CapacityTrace run_trace(const ProviderSettings& scenario, const std::string& label,
                        const TraceOptions& options) {
  if (options.servers) {
    throw ConfigError(label + ": the hosts of a run are its servers, expected no number of them");
  }
  const PlacedHosts hosts = run_and_watch(scenario);
  const VcpusUnit unit = vcpus_unit_of(scenario.workloads.front());
  const TimeSpan span = span_of({.end = hosts.window.end}, options, label);
  CapacityTrace trace{.label = label, .sha256 = hosts.sha256, .is_placed = true};
  trace.record = idle_record(periods_in(hosts, span), hosts.hosts, span);
  trace.record.sizes = hosts.sizes;
  trace.day_count = day_count(hosts.window.end);
  trace.warnings = hosts.warnings;
  trace.simulated = hosts.simulated;
  trace.spot_lives = hosts.spot_lives;
  const ResourceVector most = scenario.host.largest_total();
  trace.server_size =
      scenario.host.is_plain()
          ? "of " + size_text(size_words(unit), most.vcpus, most.memory_mb, most.disk_gb)
          : "(" + types_text(scenario.host, hosts.hosts) + "), counted by their vCPUs";
  if (!unit.is_relative) {
    trace.server_vcpus = static_cast<double>(scenario.host.sum(hosts.hosts).vcpus) * unit.vcpus /
                         static_cast<double>(hosts.hosts);
  }
  return trace;
}

CapacityTrace load_trace(const CapacityTraceSpec& spec, const TraceOptions& options,
                         PolicyLoader& loader) {
  if (!is_yaml_file(spec.source.file)) return ranked_trace(spec, options);
  return run_trace(read_scenario(read_study_file(spec.source.file, {}, {}, loader)), spec.label,
                   options);
}

}  // namespace cospot
