#include "sim_harness/imports/import_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/imports/request_scan.hpp"
#include "sim_harness/workloads/window.hpp"
#include "sim_harness/workloads/workload_schema.hpp"
#include "sim_harness/workloads/workload_stream.hpp"

namespace cospot {
namespace {

SimTime lead_of(const ImportOptions& options) {
  // Written so that NaN fails it.
  if (!(options.lead_days >= 0 && options.lead_days <= 10'000)) {
    throw ConfigError(fmt::format("--lead-days is {}, expected a number of days from 0 to 10000",
                                  options.lead_days));
  }
  return SimTime(std::llround(options.lead_days * kMicrosecondsPerDay));
}

SimTime stated_start(const std::string& text, TimeUnit unit) {
  std::optional<SimTime> time = parse_time(text, unit);
  if (!time) time = parse_iso_time(text);
  if (time) return *time;
  throw ConfigError(fmt::format("--window-start: found '{}', expected {}, or ISO 8601", text,
                                time_expected(unit)));
}

/// Places the window: it starts as stated, or with the first request, and goes on to the hour after
/// the last time seen; or it is as long as stated, and ends a second after the last time seen.
void place_window(const ImportOptions& options, const RequestScan& scan, ImportSummary& summary) {
  constexpr SimTime kHour = std::chrono::hours(1);
  constexpr SimTime kSecond = std::chrono::seconds(1);
  if (options.window_start) {
    summary.window_start = stated_start(*options.window_start, summary.unit);
  } else if (options.window) {
    // What was seen last is in it: the newest instances start then.
    summary.window_start = scan.last_seen() + kSecond - *options.window;
  } else {
    summary.window_start = scan.first_start();
  }
  const SimTime seen = scan.last_seen() - summary.window_start;
  summary.window = options.window.value_or((seen / kHour + 1) * kHour);
  if (summary.window > SimTime(0) && summary.window <= kMaxWindow) return;
  throw ConfigError(fmt::format(
      "the requests go from {} to {}, which gives a window of {} days, expected more than 0 and at "
      "most 10001; is --time-unit right? --window-start and --window-days state a window",
      time_text(scan.first_start(), summary.unit), time_text(scan.last_seen(), summary.unit),
      window_days_text(summary.window)));
}

void check_first_walk(const ImportOptions& options, const RequestScan& scan) {
  const std::string file = options.files.front().string();
  const bool has_requests = scan.first_start() != kNever;
  if (scan.faults().count() > 0 && (!options.skip_bad_rows || !has_requests)) {
    throw WorkloadError(file + ": " + scan.faults().text(scan.rows()));
  }
  if (has_requests) return;
  throw WorkloadError(
      fmt::format("{}: none of {} rows is a request, expected one", file, scan.rows()));
}

/// Shifts requests into the window and writes them.
class RequestWriter {
 public:
  RequestWriter(WorkloadStream& stream, ImportSummary& summary, SimTime lead)
      : stream_(&stream), summary_(&summary), lead_(lead) {}

  void write(WorkloadRow request) {
    request.start -= summary_->window_start;
    if (request.end != kNever) request.end -= summary_->window_start;
    request.start = std::max(request.start, -kMaxWorkloadTime);
    if (request.end < -lead_) {
      ++summary_->ended_early;
    } else if (request.start >= summary_->window) {
      ++summary_->started_late;
    } else {
      if (request.end != kNever && request.end > kMaxWorkloadTime) request.end = kNever;
      ++summary_->requests[request.is_spot() ? 1 : 0];
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
  for (const std::filesystem::path& file : options.files) {
    std::error_code ignored;
    if (!std::filesystem::equivalent(file, output, ignored)) continue;
    throw ConfigError(
        fmt::format("{} would be overwritten, expected another file to write", output.string()));
  }
  const SimTime lead = lead_of(options);
  const ImportPlan plan = plan_import(options);
  // Before all rows are read for nothing.
  if (options.window_start) (void)stated_start(*options.window_start, plan.unit);
  // Only until the second walk: what it holds grows with the requests.
  std::optional<RequestScan> first(std::in_place, plan, options.files);
  first->run([](const WorkloadRow&) {});
  check_first_walk(options, *first);
  ImportSummary summary{.rows = first->rows(),
                        .left_out = first->left_out(),
                        .ends_without_start = first->ends_without_start(),
                        .bad_rows = first->faults().count(),
                        .bad_kinds = first->faults().kinds_text(),
                        .unit = plan.unit,
                        .vcpus_unit = plan.vcpus_unit,
                        .hosts = first->hosts()};
  place_window(options, *first, summary);
  WorkloadStream stream(output, WorkloadStatements{summary.window, plan.vcpus_unit});
  RequestWriter writer(stream, summary, lead);
  std::vector<SimTime> ends = first->take_ends();
  first.reset();
  RequestScan second(plan, options.files, std::move(ends));
  second.run([&](const WorkloadRow& request) { writer.write(request); });
  if (stream.rows() == 0) {
    throw WorkloadError(fmt::format("{}: no request starts in the window, expected one",
                                    options.files.front().string()));
  }
  stream.commit();
  return summary;
}

std::string import_summary_text(const ImportSummary& summary, const std::filesystem::path& output) {
  std::string text = fmt::format(
      "{}: {} requests: {} VMs, {} spots\n  window: {} days from {}\n", output.string(),
      summary.requests[0] + summary.requests[1], summary.requests[0], summary.requests[1],
      window_days_text(summary.window), time_text(summary.window_start, summary.unit));
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
  add(summary.ends_without_start, "ends without a start");
  add(summary.ended_early, "requests that ended before the window");
  add(summary.started_late, "requests that start after the window");
  if (summary.bad_rows > 0) {
    text += fmt::format("  left out: {} bad rows: {}\n", summary.bad_rows, summary.bad_kinds);
  }
  for (const ImportedHosts& hosts : summary.hosts) {
    text += fmt::format("  hosts: {} of --host {},{}\n", hosts.count, hosts.total.vcpus,
                        hosts.total.memory_mb);
  }
  return text;
}

}  // namespace cospot
