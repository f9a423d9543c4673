#include "sim_harness/studies/broker/job_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>

#include "core/errors.hpp"

namespace cospot {
namespace {

double span_hours(SimTime time) { return std::chrono::duration<double>(time).count() / 3600; }

/// The hours that a job takes on `type` at least, whatever is drawn for it: the slower it was on
/// its own nodes, the less work it has, and a type of n units is at most n times as fast as one.
double least_hours(const Job& job, const InstanceType& type, const JobModel& model) {
  const double width = std::max(1, job.width());
  const double parallelism = std::max(job.parallelism.value_or(1), width);
  const double sigma = job.sigma.value_or(job.parallelism ? 0 : model.max_sigma);
  return span_hours(*job.duration) * downey_speedup(width, parallelism, sigma) / type.ecu;
}

const InstanceType& fastest_type(const MarketSet& markets) {
  return *std::ranges::max_element(markets.types, {}, &InstanceType::ecu);
}

std::string need_text(const Job& job, const InstanceType& fastest, const JobModel& model) {
  return fmt::format("{} node{} for {:.4g} h, at least {:.4g} h on {}, the fastest type",
                     job.width(), job.width() == 1 ? "" : "s", span_hours(*job.duration),
                     least_hours(job, fastest, model), fastest.name);
}

/// The work of jobs, in hours of a node.
struct WorkSum {
  std::size_t count = 0;
  double hours = 0;
  double largest_hours = 0;
  const Job* largest = nullptr;

  void add(const Job& job) {
    const double work = span_hours(*job.duration) * std::max(1, job.width());
    ++count;
    hours += work;
    if (work <= largest_hours) return;
    largest_hours = work;
    largest = &job;
  }
};

void check_memory(const LoadedJobs& jobs, const std::string& label, const MarketSet& markets,
                  const std::string& markets_label) {
  const auto largest = std::ranges::max_element(markets.types, {}, &InstanceType::memory_mb);
  for (const Job& job : jobs.log.jobs) {
    if (job.memory_mb.value_or(0) <= largest->memory_mb) continue;
    throw ConfigError(fmt::format(
        "jobs {}: job {}: memory_mb is {:g}, expected at most the {} MiB of {}, the largest type "
        "of market {}",
        label, job.id, *job.memory_mb, largest->memory_mb, largest->name, markets_label));
  }
}

}  // namespace

void check_jobs(const LoadedJobs& jobs, const std::string& label, const MarketSet& markets,
                const std::string& markets_label, const JobModel& model) {
  check_memory(jobs, label, markets, markets_label);
  const InstanceType& fastest = fastest_type(markets);
  // The last price holds on, but not for ever: every hour of a slip would be simulated.
  constexpr double kMostHistories = 10;
  const double known_hours = static_cast<double>(markets.end() - markets.begin()) / kHour;
  for (const Job& job : jobs.log.jobs) {
    if (!job.has_run() || least_hours(job, fastest, model) <= kMostHistories * known_hours) {
      continue;
    }
    throw ConfigError(
        fmt::format("jobs {}: {}: job {} asks for {}; expected at most {:g} times the {:.4g} h for "
                    "which market {} has prices",
                    label, jobs.log.place(job), job.id, need_text(job, fastest, model),
                    kMostHistories, known_hours, markets_label));
  }
}

std::vector<std::string> job_cautions(const LoadedJobs& jobs, const MarketSet& markets,
                                      const JobModel& model) {
  constexpr std::size_t kFewJobs = 20;  // of which one may well be half of the work
  const InstanceType& fastest = fastest_type(markets);
  WorkSum all, late;
  for (const Job& job : jobs.log.jobs) {
    if (!job.has_run()) continue;
    all.add(job);
    const bool is_late = job.deadline && least_hours(job, fastest, model) >
                                             span_hours(*job.deadline - job.submission);
    if (is_late) late.add(job);
  }
  std::vector<std::string> cautions;
  if (const Job* job = late.largest) {
    cautions.push_back(fmt::format(
        "{} of {} jobs cannot meet {} deadline on any type, and {} {:.0f}% of all work: {}: job {} "
        "asks for {}, and has {:.4g} h until its deadline; check nodes, duration_s and deadline_s",
        late.count, all.count, late.count == 1 ? "its" : "their", late.count == 1 ? "is" : "are",
        100 * late.hours / all.hours, jobs.log.place(*job), job->id,
        need_text(*job, fastest, model), span_hours(*job->deadline - job->submission)));
  }
  const bool is_most = all.count >= kFewJobs && 2 * all.largest_hours > all.hours;
  if (is_most && all.largest != late.largest) {
    cautions.push_back(fmt::format(
        "{}: job {} is {:.0f}% of the work of all {} jobs, and decides: it asks for {}; check its "
        "nodes and run time",
        jobs.log.place(*all.largest), all.largest->id, 100 * all.largest_hours / all.hours,
        all.count, need_text(*all.largest, fastest, model)));
  }
  return cautions;
}

}  // namespace cospot
