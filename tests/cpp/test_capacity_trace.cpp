#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/data/jobs/job_log.hpp"
#include "sim_harness/data/usage/job_usage.hpp"
#include "sim_harness/studies/classes/capacity_trace.hpp"
#include "sim_harness/studies/classes/class_report.hpp"
#include "tests/cpp/error_text.hpp"
#include "tests/cpp/scratch_folder.hpp"

namespace cospot {
namespace {

using doctest::Approx;

LoadedTrace load_traced_capacity(const std::filesystem::path& file,
                                 const TraceOptions& options = {}) {
  NoPythonPolicies policies;
  return LoadedTrace(load_trace(parse_trace_spec(file.string()), options, policies));
}

TEST_CASE("load_trace: VMs by vcpus, rounded up; spots are no demand") {
  const ScratchFolder folder;
  const auto file =
      folder.write("w.csv",
                   "instance_id,tenant_id,class,vcpus,memory_mb,disk_gb,start_s,end_s\n"
                   "a,t,vm,4,1,0,0,7200\nb,t,vm,3,1,0,86400,90000\nc,t,spot,8,1,0,0,never\n"
                   "d,t,vm,2,1,0,172800,180000\n");
  // Servers of 2 vcpus: 2 until 2 h, 2 from 24 to 25 h, 1 from 48 to 50 h; the window is 14 days.
  const LoadedTrace trace = load_traced_capacity(file, {.server_vcpus = 2});
  CHECK(trace.trace.record.servers == 2);
  CHECK(trace.capacity.all().idle_hours == Approx(22 + 23 + 22 + (336 - 50) + (336 - 25)));
  CHECK(trace.capacity.all().revocations == 3);
  // One VM of three has 2 vcpus: more than one of 20.
  CHECK(load_traced_capacity(file).trace.record.servers == 2);
  CHECK(load_traced_capacity(file, {.servers = 3, .server_vcpus = 2}).capacity.size() == 3);
}

TEST_CASE("load_trace: days that a trace does not have are refused") {
  const ScratchFolder folder;
  const auto file = folder.write("j.csv", "submission_s,duration_s\n0,3600\n90000,3600\n");
  const auto error = [&](const TraceOptions& options) {
    return error_text<ConfigError>([&] { (void)load_traced_capacity(file, options); });
  };
  CHECK(contains(error({.from_day = 2}), "from-day is 2, expected a day from 0 to below 2"));
  CHECK(contains(error({.to_day = 3}),
                 "to-day is 3, expected a day after from-day (0), to at most 2"));
  CHECK(contains(error({.from_day = 1.05}), "expected a day before 1.04"));
  CHECK(contains(error({.from_day = std::nan("")}), "from-day is nan"));
  // One server, busy, idle for 24 h, busy.
  CHECK(load_traced_capacity(file).capacity.all().idle_hours == Approx(24));
}

TEST_CASE("load_trace: economy counts the same time of a log") {
  const ScratchFolder folder;
  // The first job waits for two days; the last starts a day after it was submitted.
  const auto file = folder.write("j.swf",
                                 "1 0 172800 3600 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n"
                                 "2 259200 0 3600 2 -1 -1 2 -1 -1 1 1 1 1 1 1 -1 -1\n"
                                 "3 864000 86400 3600 1 -1 -1 1 -1 -1 1 1 1 1 1 1 -1 -1\n");
  // From day 2 to day 10.
  const LoadedTrace trace = load_traced_capacity(file);
  CHECK(trace.trace.day_count == 8);
  const UsageSeries usage = usage_of_jobs(read_job_log(file), std::nullopt);
  CHECK(usage.samples.front().time == 2 * kDay);
  CHECK(usage.samples.back().time == 10 * kDay);
}

std::filesystem::path data(const char* name) {
  const char* folder = std::getenv("COSPOT_DATA");
  return folder == nullptr ? std::filesystem::path() : std::filesystem::path(folder) / name;
}

/// Without the periods that began before the span and ended in it.
LoadedTrace without_left_edge(CapacityTrace trace) {
  trace.record.periods = [all = trace.record.periods,
                          begin = trace.record.span.begin](const auto& visit) {
    all([&](const IdlePeriod& period) {
      if (period.begin > begin || !period.revoked) visit(period);
    });
  };
  return LoadedTrace(std::move(trace));
}

TEST_CASE("classes: SURF Lisa, days 10 to 100, 275 servers") {
  const auto file = data("surf_lisa_jobs/surf_lisa_jobs_2022_Jul_Oct.csv.gz");
  if (!std::filesystem::exists(file)) return;
  const LoadedTrace whole =
      load_traced_capacity(file, {.servers = 275, .from_day = 10, .to_day = 100});
  // The independent program leaves out what began before day 10: 1.4 % of the server time.
  const LoadedTrace trace = without_left_edge(whole.trace);
  const double hours = 275 * 90 * 24;
  CHECK(whole.capacity.all().idle_hours / hours == Approx(.543).epsilon(.001));
  CHECK(trace.capacity.all().idle_hours / hours == Approx(.529).epsilon(.001));
  const ClassPricing pricing;
  const ClassReport report =
      report_classes(trace, pricing, {1, 2, 4, 8},
                     {PartitionRule::kEqual, PartitionRule::kGreedy, PartitionRule::kOptimal});
  // An independent program: 14.16 h; .8670 .8776 .8824 .8844 of .8855; at utility prices .5367
  // .5743 .5934 .6014 of .6058; the best split in two .5828, at 77 servers; greedy: one class.
  constexpr double kTolerance = 0.0006;
  CHECK(trace.mean_mttr_hours(MttrRule::kPooled).value_or(0) == Approx(14.16).epsilon(0.002));
  const std::vector<double> fast{.8670, .8776, .8824, .8844}, earned{.5367, .5743, .5934, .6014};
  const double idle = trace.capacity.all().idle_hours;
  for (std::size_t i = 0; i < 4; ++i) {
    const PartitionReport& equal = report.partitions[3 * i];
    CHECK(std::abs(equal.result.performance - fast[i]) < kTolerance);
    CHECK(std::abs(equal.result.revenue - earned[i]) < kTolerance);
    CHECK(report.partitions[3 * i + 1].partition.classes() == 1);
    CHECK(report.partitions[3 * i + 2].result.revenue >= equal.result.revenue * (1 - 1e-12));
  }
  CHECK(std::abs(trace.capacity.most_useful_hours(pricing) / idle - .8855) < kTolerance);
  CHECK(std::abs(trace.capacity.most_revenue(pricing) / idle - .6058) < kTolerance);
  const PartitionReport& best_2 = report.partitions[5];
  CHECK(std::abs(best_2.result.revenue - .5828) < kTolerance);
  CHECK(class_sizes(trace.capacity, best_2.partition) == std::vector<std::size_t>{77, 198});
  // Four classes are within 2.1 % of the maximum.
  CHECK(report.partitions[9 - 3].result.revenue_of_maximum == Approx(1 - .021).epsilon(0.001));
}

TEST_CASE("classes: wagap and NASA logs") {
  const auto wagap = data("wagap2013_swf/wagap-2013.nodelists-removed.swf.gz");
  if (!std::filesystem::exists(wagap)) return;
  // As in the paper (84 h against 3.72 h) the best tenth lives longer than all together: at least
  // twice as long.
  const auto check = [](const LoadedTrace& trace) {
    const std::size_t servers = trace.capacity.size();
    const ClassSums top = trace.capacity.between(servers - servers / 10, servers);
    CHECK(top.mttr(MttrRule::kPooled) > 2 * trace.mean_mttr_hours(MttrRule::kPooled).value_or(1e9));
  };
  check(load_traced_capacity(wagap));
  check(
      load_traced_capacity(data("nasa_ipsc_swf/NASA-iPSC-1993-3.1-cln.swf.gz"), {.servers = 128}));
}

}  // namespace
}  // namespace cospot
