#include "sim_harness/sweeps/compare.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/interrupt/stop_token.hpp"
#include "sim_harness/sweeps/sweep_json.hpp"

namespace cospot {
namespace {

using Clock = std::chrono::steady_clock;

struct PendingGroup {
  RunGroup group;
  std::vector<std::size_t> runs;
};

struct WorkPlan {
  std::vector<PendingGroup> groups;
  std::size_t total = 0;
  std::size_t skipped = 0;
};

WorkPlan plan_work(const SweepGrid& grid, const Shard& shard,
                   const std::vector<std::size_t>& finished) {
  WorkPlan plan;
  for (std::size_t i = 0; i < grid.group_count(); ++i) {
    PendingGroup pending{.group = grid.group(i), .runs = {}};
    if (!shard.holds(pending.group)) continue;
    plan.total += pending.group.run_count;
    for (std::size_t run = pending.group.first_run;
         run < pending.group.first_run + pending.group.run_count; ++run) {
      if (!std::binary_search(finished.begin(), finished.end(), run)) pending.runs.push_back(run);
    }
    plan.skipped += pending.group.run_count - pending.runs.size();
    if (!pending.runs.empty()) plan.groups.push_back(std::move(pending));
  }
  return plan;
}

/// The sweep as its record tells it: with the windows that are in force.
Sweep with_windows(Sweep sweep, const SweepRunner& runner) {
  for (std::size_t i = 0; i < runner.windows.size(); ++i) {
    WorkloadSpec& workload = sweep.workloads.at(i);
    workload.window = recorded_window(workload.window, runner.windows[i]);
  }
  return sweep;
}

/// Thrown through a GroupRunner to end its group early; what it has recorded is kept.
struct StopGroup {};

/// The threads' common state: what is next, what is done, what went wrong.
class Comparison {
 public:
  Comparison(const Sweep& sweep, const CompareOptions& options, const SweepRunner& runner,
             ProgressSink& progress)
      : sweep_(with_windows(sweep, runner)),
        options_(&options),
        runner_(&runner),
        progress_(&progress),
        grid_(sweep_),
        record_{sweep_json(sweep_), grid_.run_count(), COSPOT_VERSION, options.command},
        database_(options.database, record_, runner.workloads, options.if_present),
        plan_(plan_work(grid_, options.shard, database_.finished_runs())),
        done_(plan_.skipped) {}

  CompareOutcome run() {
    progress_->update(state());
    run_threads();
    const bool complete = done_ == plan_.total;
    progress_->finish(state(), complete);
    if (failure_) std::rethrow_exception(failure_);
    return {
        .interrupted = !complete, .total = plan_.total, .done = done_, .skipped = plan_.skipped};
  }

 private:
  void run_threads() {
    const std::size_t count = std::clamp<std::size_t>(
        options_->threads, 1, std::max<std::size_t>(plan_.groups.size(), 1));
    std::vector<std::jthread> threads;
    try {
      for (std::size_t i = 1; i < count; ++i) threads.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // The machine has no further thread to give: those there are do the work.
    }
    work();
  }

  void work() {
    const StopScope scope(stop_);
    while (const PendingGroup* pending = take_group()) {
      std::vector<ResultRow> rows;
      try {
        run_group(*pending, rows);
      } catch (const StopGroup&) {
      } catch (const Interrupted&) {
      } catch (...) {
        fail(std::current_exception());
      }
      commit(rows);
    }
  }

  const PendingGroup* take_group() {
    const std::scoped_lock lock(mutex_);
    if (must_stop() || next_group_ == plan_.groups.size()) return nullptr;
    return &plan_.groups[next_group_++];
  }

  void run_group(const PendingGroup& pending, std::vector<ResultRow>& rows) {
    std::vector<bool> recorded(pending.runs.size());
    const auto record = [&](std::size_t run_index, const RunResult& result) {
      const auto found = std::lower_bound(pending.runs.begin(), pending.runs.end(), run_index);
      const auto position = static_cast<std::size_t>(found - pending.runs.begin());
      if (found == pending.runs.end() || *found != run_index || recorded[position]) {
        throw std::logic_error(
            fmt::format("run {} was recorded, which was not pending", run_index));
      }
      recorded[position] = true;
      rows.push_back(make_row(run_index, result));
      note_run_done();
      if (must_stop()) throw StopGroup{};
    };
    runner_->run_group(pending.group, pending.runs, record);
    if (rows.size() != pending.runs.size()) {
      throw std::logic_error(fmt::format("group {} recorded {} runs where {} were pending",
                                         pending.group.index, rows.size(), pending.runs.size()));
    }
  }

  ResultRow make_row(std::size_t run_index, const RunResult& result) const {
    const RunCoordinates run = grid_.coordinates(run_index);
    const WorkloadSpec& workload = sweep_.workloads[run.workload];
    return {.run_index = run_index,
            .workload = workload.label,
            .headroom_percent = sweep_.sizes[run.size].percent,
            .vm = sweep_.vm[run.vm].label,
            .spot = sweep_.spot[run.spot].label,
            .evictor = sweep_.evictors[run.evictor].label,
            .saf = sweep_.saf[run.saf],
            .otn = sweep_.otn[run.otn],
            .result = with_timing(result, options_->timing),
            .workload_sha256 = runner_->workloads.at(run.workload).sha256,
            .configuration = run_json(sweep_, run, static_cast<std::size_t>(result.hosts)),
            .version = COSPOT_VERSION,
            .seed = workload.synthetic ? workload.synthetic->seed : 0};
  }

  void note_run_done() {
    const std::scoped_lock lock(mutex_);
    ++simulated_;
    progress_->update(state());
  }

  void commit(const std::vector<ResultRow>& rows) {
    const std::scoped_lock lock(mutex_);
    if (rows.empty()) return;
    const StopScope unbroken{StopToken()};  // what is done is kept
    try {
      database_.commit(rows);
      done_ += rows.size();
    } catch (...) {
      if (!failure_) failure_ = std::current_exception();
      stopped_ = true;
    }
  }

  void fail(std::exception_ptr failure) {
    const std::scoped_lock lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
    stopped_ = true;
  }

  [[nodiscard]] bool must_stop() const { return stopped_ || stop_.is_asked(); }

  [[nodiscard]] ProgressState state() const {
    return {.done = plan_.skipped + simulated_,
            .total = plan_.total,
            .skipped = plan_.skipped,
            .elapsed = Clock::now() - start_};
  }

  Sweep sweep_;
  const CompareOptions* options_;
  const SweepRunner* runner_;
  ProgressSink* progress_;
  SweepGrid grid_;
  SweepRecord record_;
  ResultsDatabase database_;
  WorkPlan plan_;
  Clock::time_point start_ = Clock::now();
  StopToken stop_ = current_stop_token();

  std::mutex mutex_;  ///< guards everything below, the database and the progress
  std::size_t next_group_ = 0;
  std::size_t simulated_ = 0;  ///< runs recorded now, committed or not
  std::size_t done_;           ///< runs committed, now and before
  std::exception_ptr failure_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace

CompareOutcome compare(const Sweep& sweep, const CompareOptions& options, const SweepRunner& runner,
                       ProgressSink& progress) {
  if (runner.workloads.size() != sweep.workloads.size()) {
    throw std::logic_error("the runner of a sweep must name every workload of it");
  }
  return Comparison(sweep, options, runner, progress).run();
}

}  // namespace cospot
