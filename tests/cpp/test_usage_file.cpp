#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "error_text.hpp"
#include "scratch_folder.hpp"
#include "sim_harness/data/usage/forecast_file.hpp"
#include "sim_harness/data/usage/job_usage.hpp"
#include "sim_harness/data/usage/usage_file.hpp"
#include "sim_harness/data/usage/workload_usage.hpp"
#include "sim_harness/studies/promises/economy.hpp"

namespace cospot {
namespace {

/// The error for a usage file of these bytes, without the folder.
std::string usage_error(std::string_view bytes) {
  const ScratchFolder folder;
  const auto file = folder.write("usage.csv", bytes);
  const std::string error = error_text<WorkloadError>([&] { (void)read_usage(file); });
  return error.substr(std::min(error.size(), folder.path().string().size() + 1));
}

TEST_CASE("usage file: columns in any order, amounts in millionths") {
  const ScratchFolder folder;
  const auto file = folder.write(
      "usage.csv",
      "used,capacity,time_s,limit\n1.5,80,1700000000,2\n0.1234567,80,1700000300.5,3\n");
  CHECK(is_usage_file(file));
  // Whoever calls the time differently learns which columns usage has, not those of requests.
  CHECK(is_usage_file(folder.write("when.csv", "# of 2024\nwhen,capacity,used\n0,8,4\n")));
  CHECK_FALSE(is_usage_file(folder.write("jobs.csv", "interarrival,service,cores_used\n1,1,1\n")));
  const UsageSeries usage = read_usage(file);
  REQUIRE(usage.samples.size() == 2);
  CHECK(usage.samples[0] == UsageSample{.time = std::chrono::seconds(1'700'000'000),
                                        .capacity = 80 * kSlackUnit,
                                        .used = 1'500'000,
                                        .limit = 2 * kSlackUnit});
  CHECK(usage.samples[1].used == 123'457);  // rounded
  CHECK(usage.samples[1].time.count() % 1'000'000 == 500'000);
  CHECK_FALSE(usage.samples[1].reserved.has_value());
  CHECK(usage.sha256.size() == 64);
}

TEST_CASE("usage file: bad ones are refused, with the line and what was expected") {
  const std::string header = "time_s,capacity,used\n";
  CHECK(usage_error("") ==
        "usage.csv:1: the file is empty, expected a header line with "
        "time_s,capacity,used, and samples");
  CHECK(usage_error("time_s,used\n0,1\n") ==
        "usage.csv:1: the column 'capacity' is missing, expected "
        "time_s,capacity,used[,reserved,limit]");
  CHECK(contains(usage_error("time_s,capacity,used,cpu\n"), "usage.csv:1: unknown column 'cpu'"));
  CHECK(contains(usage_error("time_s,capacity,used,used\n"), "the column 'used' comes twice"));
  CHECK(usage_error(header + "0,80,1\n300,0,1\n") ==
        "usage.csv:3: capacity is '0', expected a number from 1e-06 to 1000000000");
  CHECK(usage_error(header + "300,80,1\n0,80,1\n") ==
        "usage.csv:3: time_s is '0', expected a time after that of the row before");
  CHECK(contains(usage_error(header + "300,80,1\n300,80,1\n"), "expected a time after"));
  CHECK(usage_error(header + "0,80,-1\n") ==
        "usage.csv:2: used is '-1', expected a number from 0 to 1000000000");
  CHECK(contains(usage_error(header + "0,80,nan\n"), "used is 'nan'"));
  CHECK(contains(usage_error(header + "0,80,\n"), "used is empty"));
  CHECK(usage_error(header + "0,80\n") ==
        "usage.csv:2: 2 fields, expected 3 as in the header line");
  CHECK(contains(usage_error(header + "0,80,1\n"), "there are 1 samples, expected at least 2"));
}

WorkloadRow usage_row(InstanceClass instance_class, ResourceAmount vcpus, int start, int end) {
  return {.resources = {vcpus, 1, 0},
          .instance_class = instance_class,
          .start = std::chrono::hours(start),
          .end = std::chrono::hours(end)};
}

TEST_CASE("workload usage: the vcpus of the VMs in the window; spots are left aside") {
  Workload workload{.name = "w", .window = std::chrono::hours(48)};
  workload.rows = {
      usage_row(InstanceClass::kVm, 4, -5, 10), usage_row(InstanceClass::kVm, 2, 6, 100),
      usage_row(InstanceClass::kSpot, 64, 0, 48), usage_row(InstanceClass::kVm, 8, 60, 70)};
  const UsageSeries usage = usage_of_vms(workload, std::nullopt);
  // 4 from the start, 6 from hour 6, 2 from hour 10 to the end: 6 at most.
  std::vector<std::int64_t> used;
  for (const UsageSample& sample : usage.samples) {
    used.push_back(sample.used / kSlackUnit);
    CHECK(sample.capacity == 6 * kSlackUnit);
  }
  CHECK(used == std::vector<std::int64_t>{4, 6, 2, 2});
  CHECK(usage.samples.back().time == workload.window);
  CHECK(period_minima(usage, kDay).slack == std::vector<SlackAmount>{0, 4 * kSlackUnit});
  CHECK(usage_of_vms(workload, 10).samples.front().capacity == 10 * kSlackUnit);
  workload.rows.resize(0);
  CHECK(contains(error_text<WorkloadError>([&] { (void)usage_of_vms(workload, 10); }),
                 "no VM runs in its window"));
}

TEST_CASE("job usage: processors over time, until the last submission, cut at the capacity") {
  // 4 from hour 0 to 10, 2 from hour 6 (submitted at 5) to 100, 8 from hour 20, 1 without an end.
  const auto hours = [](int count) { return SimTime(std::chrono::hours(count)); };
  JobLog log{.name = "jobs.swf"};
  log.jobs = {{.submission = hours(0), .duration = hours(10), .processors = 4},
              {.submission = hours(5), .wait = hours(1), .duration = hours(94), .processors = 2},
              {.submission = hours(15), .processors = 1},
              {.submission = hours(20), .duration = hours(5), .processors = 8}};
  const auto used = [&log](std::optional<std::int64_t> capacity) {
    std::vector<std::int64_t> amounts;
    for (const UsageSample& sample : usage_of_jobs(log, capacity).samples) {
      amounts.push_back(sample.used / kSlackUnit);
    }
    return amounts;
  };
  CHECK(used(std::nullopt) == std::vector<std::int64_t>{4, 6, 2, 10});
  CHECK(used(8) == std::vector<std::int64_t>{4, 6, 2, 8});
  CHECK(usage_of_jobs(log, std::nullopt).samples[0].capacity == 10 * kSlackUnit);
  CHECK(usage_of_jobs(log, std::nullopt).samples.back().time == hours(20));
  log.statements = {{.key = "MaxProcs", .value = "128"}};
  CHECK(usage_of_jobs(log, std::nullopt).samples[0].capacity == 128 * kSlackUnit);
  log.jobs.erase(log.jobs.begin(), log.jobs.begin() + 2);
  log.jobs.pop_back();
  CHECK(error_text<WorkloadError>([&] { (void)usage_of_jobs(log, 8); }) ==
        "jobs.swf: no job has a run time above 0, expected some that have one");
  const ScratchFolder folder;
  CHECK(is_job_log_file(folder.write("a.swf", "; MaxProcs: 4\n")));
  CHECK(is_job_log_file(folder.write("b.csv", "submission_s,duration_s\n1,2\n")));
  CHECK_FALSE(is_job_log_file(folder.write("c.csv", "vmId,tenantId\n")));
}

TEST_CASE("economy input: a table of something else is told the columns of all that it reads") {
  const ScratchFolder folder;
  const auto error = [&](std::string_view text) {
    const auto file = folder.write("other.csv", text);
    const std::string found = error_text<WorkloadError>([&] {
      (void)load_economy_input({.label = "other", .file = file, .synthetic = std::nullopt}, {});
    });
    return found.substr(folder.path().string().size() + 1);
  };
  const std::string expected =
      "time_s,capacity,used or submission_s,duration_s or "
      "instance_id,tenant_id,class,vcpus,memory_mb,start_s,end_s or "
      "vmId,tenantId,vmTypeId,cores,ram,starttime,endtime; `cospot workload import` makes a "
      "workload of another table";
  CHECK(error("a,b\n1,2\n") ==
        "other.csv:1: the header line has none of the columns, expected " + expected);
  CHECK(error("when;capacity;used\n0;8;4\n") ==
        "other.csv:1: the fields are separated by semicolons, expected commas: " + expected);
}

TEST_CASE("usage file: dates of a time zone") {
  const ScratchFolder folder;
  const auto file = folder.write(
      "usage.csv", "time_s,capacity,used\n2026-07-01 02:00,8,4\n2026-07-01T02:00Z,8,4\n");
  const UsageSeries usage = read_usage(file, TimeZone::named("Europe/Berlin", "zone"));
  CHECK(usage.samples[1].time - usage.samples[0].time == std::chrono::hours(2));
}

TEST_CASE("economy input: slack that holds until the next sample counts by its time") {
  const ScratchFolder folder;
  // 8 of 10 processors on day 0, none on day 1; the last job says where it ends.
  const auto file =
      folder.write("jobs.csv", "submission_s,duration_s,nodes\n0,86400,8\n172800,1,1\n");
  EconomySettings settings;
  settings.capacity = 10;
  const EconomyInput input =
      load_economy_input({.label = "jobs", .file = file, .synthetic = std::nullopt}, settings);
  CHECK(input.periods.slack == std::vector<SlackAmount>{2 * kSlackUnit, 10 * kSlackUnit});
  CHECK(input.slack_mean == doctest::Approx(0.6));  // (0.2 + 1.0) / 2
  CHECK(input.slack_p1 == doctest::Approx(0.2));
  settings.horizon_days = settings.training_days = 1;
  CHECK(cycles_of(input, settings).size() == 1);
  settings.horizon_days = 2;
  CHECK(contains(error_text<InputError>([&] { (void)cycles_of(input, settings); }),
                 "jobs.csv: 2 periods of 24 h, expected at least 3"));
}

TEST_CASE("forecast file: what is written is read, and the key says all of a task") {
  const ScratchFolder folder;
  const ForecastTask task{.method = "ets", .season = 7, .horizon = 2, .training = {0.5, 0.25}};
  CHECK(forecast_tasks_text({&task, 1}) == task.key() + ",ets,7,2,0.5 0.25\n");
  ForecastTask other = task;
  other.horizon = 3;
  CHECK(other.key() != task.key());
  const Forecast made{.point = {0.5, 0.4}, .sigma = {0.1, 0.2}, .model = "ETS(A;N;N)", .note = "n"};
  const auto file = folder.write("f.csv", forecast_text(task.key(), task.method, made));
  const Forecast read = read_forecasts(file).at(task.key());
  CHECK(read.point == made.point);
  CHECK(read.sigma == made.sigma);
  CHECK(read.model == made.model);
  CHECK(read.note == made.note);
}

TEST_CASE("forecast file: bad ones are refused") {
  const ScratchFolder folder;
  const auto error = [&folder](const std::string& bytes) {
    const auto file = folder.write("f.csv", bytes);
    return error_text<WorkloadError>([&] { (void)read_forecasts(file); });
  };
  const std::string header = "key,method,model,note,step,point,sigma\n";
  CHECK(contains(error("a,b\n"), "f.csv:1: unknown column 'a', expected key,method,model"));
  CHECK(contains(error(header + "k,ets,m,,2,0,0\n"), "f.csv:2: step is '2', expected 1"));
  CHECK(contains(error(header + "k,ets,m,,1,0\n"), "f.csv:2: 6 fields, expected 7"));
  CHECK(contains(error(header + "k,ets,m,,1,nan,0\n"), "point is 'nan', expected a finite number"));
  CHECK(contains(error(header + "k,ets,m,,1,0,-1\n"), "sigma is '-1', expected a number from 0"));
}

}  // namespace
}  // namespace cospot
