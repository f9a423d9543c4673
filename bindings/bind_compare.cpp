// compare: the cross product of a sweep, on all cores, into a results database.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/sweep_tree.hpp"
#include "bindings/workload_windows.hpp"
#include "core/errors.hpp"
#include "sim_harness/results/csv_sink.hpp"
#include "sim_harness/sweeps/compare.hpp"
#include "sim_harness/sweeps/sweep_file.hpp"
#include "sim_harness/sweeps/sweep_runner.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

/// How often the calling thread looks for Ctrl-C and reports progress.
constexpr std::chrono::milliseconds kLookEvery{50};

/// Keeps how far a comparison is for the thread that asks.
class NotedProgress final : public ProgressSink {
 public:
  void update(const ProgressState& state) override { note(state); }
  void finish(const ProgressState& state, bool /*complete*/) override { note(state); }

  [[nodiscard]] ProgressState latest() const {
    const std::scoped_lock lock(mutex_);
    return state_;
  }

 private:
  void note(const ProgressState& state) {
    const std::scoped_lock lock(mutex_);
    state_ = state;
  }

  mutable std::mutex mutex_;
  ProgressState state_;
};

/// What compare returns.
struct PythonOutcome {
  CompareOutcome counts;
  std::filesystem::path database;
};

/// Runs a comparison beside the calling thread, which keeps answering Python: signals and progress.
class Watched {
 public:
  Watched(const Sweep& sweep, CompareOptions options, py::object progress)
      : sweep_(&sweep), options_(std::move(options)), progress_(std::move(progress)) {
    options_.interrupted = &stop_;
  }

  /// Called with Python's lock. Rethrows what ended the work, or what Python raised meanwhile.
  CompareOutcome run() {
    std::optional<py::error_already_set> raised;
    {
      const py::gil_scoped_release unlocked;
      const std::jthread worker([this] { work(); });
      while (!wait_until_done()) {
        const py::gil_scoped_acquire lock;
        if (!raised) ask_python(raised);
      }
    }
    if (raised) throw std::move(*raised);
    if (failure_) std::rethrow_exception(failure_);
    warn_once();
    report();
    return outcome_;
  }

 private:
  void work() {
    try {
      const SweepRunner runner = make_sweep_runner(*sweep_);
      {
        const std::scoped_lock lock(mutex_);
        warnings_ = runner.warnings;
      }
      outcome_ = cospot::compare(*sweep_, options_, runner, noted_);
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    is_done_ = true;
    done_.notify_one();
  }

  bool wait_until_done() {
    std::unique_lock lock(mutex_);
    return done_.wait_for(lock, kLookEvery, [this] { return is_done_; });
  }

  /// Lets signal handlers and the caller's function run; an exception stops the work.
  void ask_python(std::optional<py::error_already_set>& raised) {
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      warn_once();
      report();
    } catch (py::error_already_set& error) {
      raised.emplace(error);
      stop_ = true;
    }
  }

  /// Of the workloads, once they are read.
  void warn_once() {
    std::vector<std::string> warnings;
    {
      const std::scoped_lock lock(mutex_);
      warnings.swap(warnings_);
    }
    warn(warnings);
  }

  void report() {
    if (progress_.is_none()) return;
    const ProgressState state = noted_.latest();
    if (reported_ == state.done || state.total == 0) return;
    reported_ = state.done;
    progress_(state.done, state.total);
  }

  const Sweep* sweep_;
  CompareOptions options_;
  py::object progress_;
  std::optional<std::size_t> reported_;
  NotedProgress noted_;
  std::atomic<bool> stop_ = false;
  CompareOutcome outcome_;
  std::exception_ptr failure_;

  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false;
  std::vector<std::string> warnings_;  ///< not yet given to Python
};

struct GivenSweep {
  Sweep sweep;
  std::string command;  ///< what the database says it was made by
};

GivenSweep read_given_sweep(const py::object& sweep, const std::vector<std::string>& overrides) {
  GivenPolicies policies;
  if (!py::isinstance<py::dict>(sweep)) {
    const std::filesystem::path file = read_path(sweep, "sweep");
    std::string command = "cospot compare " + file.string();
    for (const std::string& assignment : overrides) command += " --set " + assignment;
    return {read_sweep(file, overrides, policies), std::move(command)};
  }
  ConfigNode root = sweep_tree(sweep, "sweep", policies);
  return {read_sweep(std::move(root), {}, overrides, policies), "cospot.compare of a dict"};
}

std::vector<std::string> read_overrides(const py::iterable& given) {
  if (py::isinstance<py::str>(given)) {
    throw py::type_error("overrides is a str, expected a list of them, as [\"otn=[1,4]\"]");
  }
  std::vector<std::string> overrides;
  for (const py::handle assignment : given) {
    overrides.push_back(read_text(assignment, "overrides"));
  }
  return overrides;
}

std::size_t read_threads(const py::object& threads) {
  if (threads.is_none()) return std::max(1U, std::thread::hardware_concurrency());
  return static_cast<std::size_t>(read_integer(threads, "threads", 1, 4096));
}

void require_other_file(const std::filesystem::path& csv, const std::filesystem::path& database) {
  std::error_code error;
  if (csv == database || std::filesystem::equivalent(csv, database, error)) {
    throw InputError(
        fmt::format("csv {}: is the results database; choose another file", csv.string()));
  }
}

PythonOutcome compare(const py::object& sweep, const py::object& db, const py::object& csv,
                      const py::object& threads, bool resume, bool force, const py::object& shard,
                      const py::iterable& overrides, const py::object& progress, bool timing) {
  if (resume && force) throw ConfigError("resume excludes force; expected at most one of them");
  if (!progress.is_none() && PyCallable_Check(progress.ptr()) == 0) {
    throw py::type_error("progress is of type " + type_name(progress) + ", expected a function");
  }
  GivenSweep given = read_given_sweep(sweep, read_overrides(overrides));
  CompareOptions options{.threads = read_threads(threads),
                         .database = read_path(db, "db"),
                         .if_present = resume  ? IfPresent::kResume
                                       : force ? IfPresent::kReplace
                                               : IfPresent::kRefuse,
                         .shard = parse_shard(read_text(shard, "shard")),
                         .timing = timing ? Timing::kOn : Timing::kOff,
                         .command = given.command};
  std::filesystem::path csv_file;
  if (!csv.is_none()) {
    csv_file = read_path(csv, "csv");
    require_other_file(csv_file, options.database);
    require_csv_writable(csv_file);
  }
  Watched watched(given.sweep, options, progress);
  const PythonOutcome outcome{watched.run(), options.database};
  if (!csv_file.empty()) {
    const py::gil_scoped_release unlocked;
    write_csv(csv_file, ResultsDatabase(options.database).read_rows(), options.timing);
  }
  return outcome;
}

}  // namespace

void bind_compare(py::module_& core) {
  py::class_<PythonOutcome>(core, "CompareOutcome", "What compare did.")
      .def_property_readonly(
          "total", [](const PythonOutcome& self) { return self.counts.total; },
          "Runs of the sweep, or of the shard.")
      .def_property_readonly(
          "done", [](const PythonOutcome& self) { return self.counts.done; },
          "Of those, how many are in the database now.")
      .def_property_readonly(
          "skipped", [](const PythonOutcome& self) { return self.counts.skipped; },
          "Of those, how many were in it before.")
      .def_property_readonly(
          "database", [](const PythonOutcome& self) { return to_str(self.database.string()); },
          "The results database.")
      .def(
          "__repr__",
          [](const PythonOutcome& self) {
            return to_str(fmt::format("<CompareOutcome: {} of {} runs in {}>", self.counts.done,
                                      self.counts.total, self.database.string()));
          },
          "Return what it is.");
  core.def("compare", &compare, "sweep"_a, py::kw_only(), "db"_a = "results.db",
           "csv"_a = py::none(), "threads"_a = py::none(), "resume"_a = false, "force"_a = false,
           "shard"_a = "1/1", "overrides"_a = py::tuple(), "progress"_a = py::none(),
           "timing"_a = true, R"doc(
Run every combination of a sweep on all cores, as `cospot compare` does.

Releases the GIL. Ctrl-C stops it cleanly: KeyboardInterrupt is raised, what is done is in the
database, and the same call with resume=True goes on.

Args:
    sweep: A sweep file, or a dict with its keys (docs/sweep-file.md). In a dict, a policy may also
        be a Chain, a compiled policy, or a class or object below cospot.Weigher, cospot.Filter or
        cospot.Evictor; paths are relative to the current folder.
    db: Results database to write.
    csv: Write the results as CSV too.
    threads: How many, 1 to 4096; one a core unless given.
    resume: Continue the database, or start it.
    force: Replace the database.
    shard: Do part I of N: "I/N".
    overrides: As --set on the command line: ["otn=[1,4]", "host.vcpus=64"].
    progress: Called with (done, total) runs as the work goes on, by the calling thread.
    timing: False: 0 for every time, so that output repeats.

Returns:
    A CompareOutcome.

Raises:
    ConfigError: The sweep or an argument cannot be used.
    WorkloadError: A workload cannot be used.
    DatabaseError: The database is there already, is of another sweep, or cannot be written.
    PolicyError: A policy broke its contract; what was done is kept.
)doc");
}

}  // namespace cospot::bindings
