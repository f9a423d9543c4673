#include "sim_harness/data/imports/import_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/model/resource_vector.hpp"
#include "core/printable_text.hpp"
#include "sim_harness/base/files/output_file.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/text/decimal.hpp"
#include "sim_harness/base/text/plain_text.hpp"
#include "sim_harness/data/imports/import_table.hpp"
#include "sim_harness/data/imports/request_scan.hpp"
#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/data/workloads/window.hpp"
#include "sim_harness/data/workloads/workload_schema.hpp"
#include "sim_harness/data/workloads/workload_stream.hpp"

namespace cospot {
namespace {

bool is_up(const ImportedHost& host, const ResourceVector& total) {
  return host.status == "up" && total.vcpus >= 1 && total.memory_mb >= 1;
}

std::string as_field(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return std::string_view(",;\"\r\n").find(c) != std::string_view::npos; },
      '_');
  return text;
}

/// The capacity of a host for requests in this unit, rounded down.
ResourceVector total_of(const ImportedHost& host, const VcpusUnit& unit) {
  // But for the last bit of a quotient such as 15.89 / 0.001.
  constexpr double kRounding = 1 + 1e-12;
  const auto whole = [](double amount) {
    return static_cast<ResourceAmount>(std::floor(amount * kRounding));
  };
  return {.vcpus = whole(host.vcpus / unit.vcpus), .memory_mb = whole(host.memory_mb)};
}

/// The hosts as a file of hosts (docs/hosts-format.md), with vcpus in this unit.
std::string hosts_csv(const std::vector<ImportedHost>& hosts, const VcpusUnit& unit) {
  std::string text = "name,type,vcpus,memory_mb,zone,status\n";
  for (const ImportedHost& host : hosts) {
    const ResourceVector total = total_of(host, unit);
    // A host of which nothing is left takes no request.
    const bool is_full = host.status == "up" && !is_up(host, total);
    text += fmt::format("{},{},{},{},{},{}\n", as_field(host.name), as_field(host.type),
                        std::max(total.vcpus, ResourceAmount{1}),
                        std::max(total.memory_mb, ResourceAmount{1}), as_field(host.zone),
                        is_full ? "disabled" : host.status);
  }
  return text;
}

/// The number of hosts that are up, per type, one line each, most frequent first; with the smallest
/// host of the type as a value of --host.
std::string hosts_summary(const std::vector<ImportedHost>& hosts, const VcpusUnit& unit) {
  struct Type {
    ResourceVector least{};
    std::size_t count = 0;
    std::string name{};
  };
  std::map<std::string, Type> types;
  for (const ImportedHost& host : hosts) {
    const ResourceVector total = total_of(host, unit);
    if (!is_up(host, total)) continue;
    Type& type = types.try_emplace(host.type, Type{total, 0, host.type}).first->second;
    type.least.vcpus = std::min(type.least.vcpus, total.vcpus);
    type.least.memory_mb = std::min(type.least.memory_mb, total.memory_mb);
    ++type.count;
  }
  std::vector<Type> found;
  for (const auto& [name, type] : types) found.push_back(type);
  std::ranges::stable_sort(found, std::ranges::greater(), &Type::count);
  std::string text;
  for (const Type& type : found) {
    text += fmt::format("  hosts: {} of --host {},{} ({})\n", type.count, type.least.vcpus,
                        type.least.memory_mb, type.name);
  }
  return text;
}

SimTime lead_of(const ImportOptions& options) {
  // Written so that NaN fails it.
  if (!(options.lead_days >= 0 && options.lead_days <= 10'000)) {
    throw ConfigError(fmt::format("--lead-days is {}, expected a number of days from 0 to 10000",
                                  options.lead_days));
  }
  return Decimal::of(options.lead_days).days(kMaxWorkloadTime).value_or(SimTime(0));
}

void check_first_walk(const ImportOptions& options, const RequestScan& scan) {
  const std::string file = options.files.front().string();
  const bool has_requests = scan.first_start() != kNever;
  if (scan.faults().count() > 0 && (!options.skip_bad_rows || !has_requests)) {
    throw WorkloadError(
        InputError::Lines{printable_line(file) + ": " + scan.faults().text(scan.rows())});
  }
  if (has_requests) return;
  throw WorkloadError(
      fmt::format("{}: none of {} rows is a request, expected one", file, scan.rows()));
}

/// The condition that makes spots; empty where it is a constant, which is meant so.
std::string condition_of(const ImportPlan& plan) {
  const std::string& condition = plan.spot_if.candidates.front();
  return condition.find_first_not_of("0123456789") == std::string::npos ? "" : condition;
}

/// Neither file that is written may be one that is read, or the other.
void check_outputs(const ImportOptions& options, const std::filesystem::path& output) {
  std::vector<std::filesystem::path> inputs = options.files;
  if (options.flavors) inputs.push_back(*options.flavors);
  require_usable_output("-o", output, inputs);
  if (!options.hosts_out) return;
  require_usable_output("--hosts-out", *options.hosts_out, inputs);
  if (!is_same_file(*options.hosts_out, output)) return;
  throw ConfigError(fmt::format("--hosts-out {}: is the file of -o too; choose another",
                                options.hosts_out->string()));
}

void require_hosts(const ImportOptions& options, const ImportSummary& summary) {
  if (!options.hosts_out || !summary.hosts.empty()) return;
  throw WorkloadError(fmt::format(
      "{}: there are no hosts for --hosts-out, expected nodes beside pods (--format kubernetes, "
      "kubectl get pods,nodes -A -o json); of Nova, cospot-nova history export writes them",
      options.files.front().string()));
}

/// Before anything is asked of options.
void require_contents(const std::vector<std::filesystem::path>& files) {
  for (const std::filesystem::path& file : files) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error) || !std::filesystem::is_empty(file, error)) {
      continue;
    }
    throw WorkloadError(fmt::format(
        "{}: the file is empty, expected records of instances: a CSV table with a header line, or "
        "a format of --list-formats",
        file.string()));
  }
}

/// Shifts requests into the window and writes them.
class RequestWriter {
 public:
  RequestWriter(WorkloadStream& stream, ImportSummary& summary, SimTime lead)
      : stream_(&stream), summary_(&summary), lead_(lead) {}

  void write(WorkloadRow request) {
    request.start -= summary_->window.start;
    if (request.end != kNever) request.end -= summary_->window.start;
    request.start = std::max(request.start, -kMaxWorkloadTime);
    if (request.end < -lead_) {
      ++summary_->ended_early;
    } else if (request.start >= summary_->window.length) {
      ++summary_->started_late;
    } else {
      if (request.end != kNever && request.end > kMaxWorkloadTime) request.end = kNever;
      ++summary_->requests[request.is_spot() ? 1 : 0];
      summary_->sizes.add(request.resources);
      stream_->write(request);
    }
  }

 private:
  WorkloadStream* stream_;
  ImportSummary* summary_;
  SimTime lead_;
};

}  // namespace

ImportSummary import_workload(const ImportOptions& options, const std::filesystem::path& output) {
  check_outputs(options, output);
  require_contents(options.files);
  const SimTime lead = lead_of(options);
  const ImportPlan plan = plan_import(options);
  // Before all rows are read for nothing.
  if (options.window_start) (void)stated_window_start(*options.window_start, plan);
  // Only until the second walk: what it holds grows with the requests.
  std::optional<RequestScan> first(std::in_place, plan, options.files);
  first->run([](const WorkloadRow&) {});
  check_first_walk(options, *first);
  ImportSummary summary{.rows = first->rows(),
                        .left_out = first->left_out(),
                        .over = first->over(),
                        .parts_of_rows = first->parts_of_rows(),
                        .resizes = first->resizes(),
                        .ends_without_start = first->ends_without_start(),
                        .bad_rows = first->faults().count(),
                        .bad_kinds = first->faults().kinds_text(),
                        .window = place_window(options, plan, *first),
                        .unit = plan.unit,
                        .vcpus_unit = plan.vcpus_unit,
                        .hosts = first->hosts(),
                        .missing_pages = first->missing_pages(),
                        .spot_if = condition_of(plan)};
  require_hosts(options, summary);
  std::vector<SimTime> ends = first->take_ends();
  first.reset();
  RequestScan second(plan, options.files, std::move(ends));
  WorkloadStream stream(output,
                        {.window = summary.window.length,
                         .vcpus_unit = plan.vcpus_unit,
                         .placements = plan.has_placements() ? &second.placements() : nullptr});
  RequestWriter writer(stream, summary, lead);
  second.run([&](const WorkloadRow& request) { writer.write(request); });
  if (stream.rows() == 0) {
    throw WorkloadError(fmt::format("{}: no request starts in the window, expected one",
                                    options.files.front().string()));
  }
  if (options.hosts_out) {
    write_stored_text(*options.hosts_out, hosts_csv(summary.hosts, summary.vcpus_unit));
  }
  stream.commit();
  return summary;
}

std::string import_summary_text(const ImportSummary& summary, const std::filesystem::path& output) {
  std::string text = fmt::format(
      "{}: {} requests: {} VMs, {} spots\n  window: {:.6g} days from {}{}\n", output.string(),
      summary.requests[0] + summary.requests[1], summary.requests[0], summary.requests[1],
      static_cast<double>(summary.window.length.count()) / kMicrosecondsPerDay,
      time_text(summary.window.start, summary.unit),
      summary.window.begins.empty() ? "" : ", " + summary.window.begins);
  text += observed_line(summary.window);
  if (summary.vcpus_unit != VcpusUnit{}) {
    text += fmt::format("  sizes: {}\n",
                        summary.vcpus_unit.is_relative
                            ? "in units, shares of a machine"
                            : fmt::format("vcpus counts {:g} vCPU", summary.vcpus_unit.vcpus));
  }
  const auto add = [&](std::uint64_t count, std::string_view what) {
    if (count > 0) text += fmt::format("  left out: {} {}\n", count, what);
  };
  add(summary.left_out, "rows that are no requests");
  add(summary.over, "rows that are over, at a time that is unknown");
  add(summary.parts_of_rows, "lines with stretches of jobs that have a line for the whole");
  add(summary.resizes, "resizes: an instance keeps the size of its start");
  add(summary.ends_without_start, "ends without a start");
  add(summary.ended_early, "requests that ended before the window");
  add(summary.started_late, "requests that start after the window");
  if (summary.bad_rows > 0) {
    text += fmt::format("  left out: {} bad row{}: {}\n", summary.bad_rows,
                        summary.bad_rows == 1 ? "" : "s", summary.bad_kinds);
  }
  return text + hosts_summary(summary.hosts, summary.vcpus_unit);
}

std::vector<std::string> import_warnings(const ImportSummary& summary,
                                         const std::filesystem::path& output) {
  std::vector<std::string> warnings = summary.window.warnings;
  for (const bool is_spot : {false, true}) {
    if (summary.spot_if.empty() || summary.requests[is_spot ? 1 : 0] > 0) continue;
    warnings.push_back(fmt::format(
        "--spot-if {} holds for {} of {} requests, expected for some: without {} there is nothing "
        "to decide",
        quoted_excerpt(summary.spot_if), is_spot ? "none" : "all",
        summary.requests[0] + summary.requests[1], is_spot ? "spots" : "VMs"));
  }
  warnings.push_back(summary.missing_pages);
  warnings.push_back(summary.sizes.memory_doubt(summary.vcpus_unit));
  if (!summary.hosts.empty()) {
    warnings.push_back(summary.sizes.host_doubt(total_of(summary.hosts.front(), summary.vcpus_unit),
                                                summary.vcpus_unit));
  }
  std::erase(warnings, "");
  for (std::string& warning : warnings) warning = output.string() + ": " + warning;
  return warnings;
}

}  // namespace cospot
