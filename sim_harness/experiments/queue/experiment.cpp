#include "sim_harness/experiments/queue/experiment.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/experiments/grid/stored_axes.hpp"
#include "sim_harness/experiments/queue/work_queue.hpp"

namespace cospot {
namespace {

struct PendingGroup {
  RunGroup group;
  std::vector<std::size_t> runs;
};

struct WorkPlan {
  std::vector<PendingGroup> groups;
  std::size_t total = 0;
  std::size_t skipped = 0;
};

WorkPlan plan_work(const Grid& grid, const Shard& shard, const std::vector<std::size_t>& finished) {
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

/// Thrown through a RunGroupFunction to end its group early; what it has recorded is kept.
struct StopGroup {};

/// The axes of a run as the study file has them.
std::string axes_json(const Experiment& experiment, const Coordinates& run) {
  Json json = Json::object();
  for (std::size_t axis = 0; axis < experiment.axes.size(); ++axis) {
    json[experiment.axes[axis].key] =
        json_of(experiment.schema.axes[axis], experiment.axes[axis].values[run[axis]].value);
  }
  return text_of(json);
}

/// The threads' common state: what is next, what is done, what went wrong.
class ExperimentRun {
 public:
  ExperimentRun(const Experiment& experiment, const ExperimentOptions& options,
                ResultsDatabase& database, ProgressSink& progress)
      : experiment_(experiment),
        options_(options),
        database_(database),
        grid_(experiment.grid()),
        plan_(plan_work(grid_, options.shard, database_.finished_runs())),
        counter_(&progress, plan_.total, plan_.skipped),
        done_(plan_.skipped) {}

  ExperimentOutcome run() {
    counter_.add(0);
    std::exception_ptr failure;
    try {
      work_in_parallel(plan_.groups.size(), options_.threads,
                       [this](std::size_t i) { run_and_keep(plan_.groups[i]); });
    } catch (...) {
      failure = std::current_exception();
    }
    const bool complete = done_ == plan_.total;
    counter_.finish(complete);
    if (failure) std::rethrow_exception(failure);
    return {
        .interrupted = !complete, .total = plan_.total, .done = done_, .skipped = plan_.skipped};
  }

 private:
  /// Commits what the group recorded, however it ended.
  void run_and_keep(const PendingGroup& pending) {
    std::vector<Row> rows;
    std::exception_ptr failure;
    try {
      run_group(pending, rows);
    } catch (const StopGroup&) {
    } catch (const Interrupted&) {
    } catch (...) {
      failure = std::current_exception();
      failed_ = true;
    }
    commit(rows);
    if (failure) std::rethrow_exception(failure);
  }

  void run_group(const PendingGroup& pending, std::vector<Row>& rows) {
    std::vector<bool> recorded(pending.runs.size());
    const auto record = [&](std::size_t run_index, RunRecord run) {
      const auto found = std::lower_bound(pending.runs.begin(), pending.runs.end(), run_index);
      const auto position = static_cast<std::size_t>(found - pending.runs.begin());
      if (found == pending.runs.end() || *found != run_index || recorded[position]) {
        throw std::logic_error(
            fmt::format("run {} was recorded, which was not pending", run_index));
      }
      recorded[position] = true;
      rows.push_back(make_row(run_index, std::move(run)));
      counter_.add(1);
      if (must_stop()) throw StopGroup{};
    };
    experiment_.run_group(pending.group, pending.runs, record);
    if (rows.size() != pending.runs.size()) {
      throw std::logic_error(fmt::format("group {} recorded {} runs where {} were pending",
                                         pending.group.index, rows.size(), pending.runs.size()));
    }
  }

  [[nodiscard]] Row make_row(std::size_t run_index, RunRecord run) const {
    const Measures& measures = run.measures;
    const std::vector<Column>& columns = experiment_.schema.measures;
    if (measures.size() != columns.size()) {
      throw std::logic_error(fmt::format("run {} recorded {} measures where the study has {}",
                                         run_index, measures.size(), columns.size()));
    }
    if (run.timeline.empty() != experiment_.schema.timeline.empty()) {
      throw std::logic_error(
          fmt::format("run {} recorded {} rows of its timeline", run_index, run.timeline.size()));
    }
    const Coordinates at = grid_.coordinates(run_index);
    Row row{.run_index = run_index,
            .values = {},
            .configuration = {},
            .version = COSPOT_VERSION,
            .timeline = std::move(run.timeline)};
    row.configuration = experiment_.run_configuration
                            ? experiment_.run_configuration(run_index, measures)
                            : axes_json(experiment_, at);
    row.values.reserve(at.size() + measures.size());
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      row.values.push_back(experiment_.axes[axis].values[at[axis]].value);
    }
    for (std::size_t i = 0; i < measures.size(); ++i) {
      row.values.push_back(with_timing(columns[i], measures[i], options_.timing));
    }
    return row;
  }

  void commit(const std::vector<Row>& rows) {
    const std::scoped_lock lock(mutex_);
    if (rows.empty()) return;
    const StopScope unbroken{StopToken()};  // what is done is kept
    try {
      database_.commit(rows);
    } catch (...) {
      failed_ = true;
      throw;
    }
    done_ += rows.size();
  }

  [[nodiscard]] bool must_stop() const { return failed_ || stop_.is_asked(); }

  const Experiment& experiment_;
  const ExperimentOptions& options_;
  ResultsDatabase& database_;
  Grid grid_;
  WorkPlan plan_;
  RunCounter counter_;  ///< of runs recorded, committed or not
  StopToken stop_ = current_stop_token();
  std::atomic<bool> failed_ = false;

  std::mutex mutex_;  ///< guards what is below, and the database
  std::size_t done_;  ///< runs committed, now and before
};

}  // namespace

Grid Experiment::grid() const {
  for (std::size_t i = 0; i < group_by.size(); ++i) {
    if (i < axes.size() && axes[i].name == group_by[i]) continue;
    throw std::logic_error("runs are grouped by " + group_by[i] + ", which is not among the first");
  }
  return grid_of(axes, group_by.size());
}

ExperimentTables tables_of(const Experiment& experiment, const std::string& command) {
  const Grid grid = experiment.grid();
  return {.record = {.study = experiment.schema.study,
                     .configuration = experiment.configuration,
                     .run_count = grid.run_count(),
                     .group_count = grid.group_count(),
                     .version = COSPOT_VERSION,
                     .created_by = command},
          .schema = experiment.schema,
          .axes = experiment.axes};
}

ExperimentOutcome run_experiment(const Experiment& experiment, const ExperimentOptions& options,
                                 ProgressSink& progress) {
  ResultsDatabase database(options.database, tables_of(experiment, options.command),
                           experiment.inputs, options.if_present);
  // Rows of another sweep would count as done.
  if (options.if_present == IfPresent::kResume) require_on_axes(database, experiment.axes);
  return ExperimentRun(experiment, options, database, progress).run();
}

ResultsDatabase run_in_memory(const Experiment& experiment, std::size_t threads,
                              ProgressSink& progress) {
  ResultsDatabase database =
      ResultsDatabase::in_memory(tables_of(experiment, ""), experiment.inputs);
  const ExperimentOptions options{.threads = threads};
  if (ExperimentRun(experiment, options, database, progress).run().interrupted) {
    throw Interrupted{};
  }
  return database;
}

}  // namespace cospot
