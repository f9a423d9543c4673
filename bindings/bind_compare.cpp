// compare: every run of a study, on all cores, into a results database.

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <optional>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/given_study.hpp"
#include "bindings/noted_progress.hpp"
#include "bindings/watched_work.hpp"
#include "bindings/workloads.hpp"
#include "core/errors.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/text/shell_word.hpp"
#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/experiments/results/csv_sink.hpp"
#include "sim_harness/experiments/summary/mean_interval.hpp"
#include "sim_harness/studies/stored_prices.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

/// The result of compare().
struct PythonOutcome {
  ExperimentOutcome counts;
  std::filesystem::path database;
};

/// Called with Python's lock. Rethrows what ended the work, or what Python raised meanwhile.
ExperimentOutcome run_watched_experiment(const LoadExperiment& load,
                                         const ExperimentOptions& options,
                                         const py::object& progress) {
  NotedProgress noted;
  Reporter reporter(noted, progress);
  ExperimentOutcome outcome;
  reporter.run([&] {
    const Experiment experiment = load();
    reporter.note_warnings(experiment.warnings);
    outcome = run_experiment(experiment, options, noted);
  });
  return outcome;
}

/// The command that the database states as its origin.
std::string command_of(const GivenStudy& given, const std::vector<std::string>& overrides) {
  if (given.is_dict) return "cospot.compare of a dict";
  return "cospot compare " + shell_word(given.where) + set_arguments(overrides);
}

void require_other_file(const std::filesystem::path& csv, const std::filesystem::path& database) {
  std::error_code error;
  if (csv == database || std::filesystem::equivalent(csv, database, error)) {
    throw InputError(
        fmt::format("csv {}: is the results database; choose another file", csv.string()));
  }
}

PythonOutcome compare(const py::object& study, const py::object& db, const py::object& csv,
                      const py::object& threads, bool resume, bool force, const py::object& shard,
                      const py::object& overrides, const py::object& progress, bool timing,
                      bool timeline) {
  if (resume && force) throw ConfigError("resume excludes force; expected at most one of them");
  const py::object told = read_progress(progress);
  GivenPolicies policies;
  const std::vector<std::string> assignments = read_overrides(overrides);
  GivenStudy given = read_given_study(study, "study", assignments, policies);
  given.file.keeps_timeline = timeline;
  const LoadExperiment load = read_experiment(built_in_studies(), given.file);
  const ExperimentOptions options{.threads = read_threads(threads),
                                  .database = read_path(db, "db"),
                                  .if_present = resume  ? IfPresent::kResume
                                                : force ? IfPresent::kReplace
                                                        : IfPresent::kRefuse,
                                  .shard = parse_shard(read_text(shard, "shard")),
                                  .timing = timing ? Timing::kOn : Timing::kOff,
                                  .command = command_of(given, assignments)};
  std::filesystem::path csv_file;
  if (!csv.is_none()) {
    csv_file = read_path(csv, "csv");
    require_other_file(csv_file, options.database);
    require_writable(csv_file);
  }
  const PythonOutcome outcome{run_watched_experiment(load, options, told), options.database};
  if (!csv_file.empty()) {
    run_watched([&] {
      ResultsDatabase results(options.database);
      write_csv(csv_file, results, options.timing);
    });
  }
  return outcome;
}

PythonOutcome make_outcome(std::size_t total, std::size_t done, std::size_t skipped,
                           const py::object& database) {
  PythonOutcome outcome{{}, read_path(database, "database")};
  outcome.counts.total = total;
  outcome.counts.done = done;
  outcome.counts.skipped = skipped;
  return outcome;
}

/// The revenue of every run in money, by the columns that its study declares.
py::dict money_of_results(const py::object& database, std::optional<double> on_demand,
                          std::optional<double> spot, std::optional<double> economy,
                          const py::object& flavors) {
  const std::filesystem::path from = read_path(database, "database");
  const std::filesystem::path file =
      flavors.is_none() ? std::filesystem::path() : read_path(flavors, "flavors");
  RunMoney money;
  StudyMoney declared;
  run_watched([&] {
    const StudyRegistry& studies = built_in_studies();
    ResultsDatabase results = open_results(studies, from);
    std::optional<WorkloadPrices> prices;
    if (!file.empty()) {
      prices = prices_of_results(studies, read_flavor_prices(file), results);
    } else if (on_demand && spot) {
      const PriceList list{.vcpu_hour = {*on_demand, *spot, economy}};
      prices = prices_of_results(studies, list, results);
    } else {
      (void)require_money(studies, results);
      prices = kept_prices(results);
      if (!prices) {
        throw ConfigError(results.name() +
                          ": no prices are kept with the results; expected on_demand and spot, or "
                          "flavors");
      }
    }
    declared = require_money(studies, results);
    money = money_of_runs(results, declared, *prices);
  });
  py::dict columns;
  columns["run_index"] = py::cast(money.runs);
  for (std::size_t i = 0; i < declared.columns.size(); ++i) {
    columns[to_str(std::string(declared.columns[i].name))] = py::cast(money.amounts[i]);
  }
  if (!money.incomes.empty()) {
    py::list net, per_month;
    for (const Income& income : money.incomes) {
      net.append(income.net());
      per_month.append(income.net_per_month());
    }
    columns["net"] = net;
    columns["net_per_month"] = per_month;
  }
  return columns;
}

}  // namespace

void bind_compare(py::module_& core) {
  core.def("_money_of_results", &money_of_results, "database"_a, "on_demand"_a = py::none(),
           "spot"_a = py::none(), "economy"_a = py::none(), "flavors"_a = py::none(), R"doc(
Return what the revenue of every run is worth.

Args:
    database: Results database of a study that money is put on.
    on_demand: What a VM's vCPU-hour costs; without it, the prices that are kept with the results.
    spot: What a spot's vCPU-hour costs.
    economy: What that of an Economy instance costs; on_demand if left out.
    flavors: Instead of both, a CSV file with the columns vcpus, memory_mb, on_demand, spot.

Returns:
    A dict: run_index, and by the columns that the study declares a list with a number of every
    run, or None.

Raises:
    WorkloadError: The table cannot be read.
    ConfigError: No money is put on the study, no prices are given or kept, a workload is not there or another one, or a flavor
        has no price.
)doc");
  py::class_<PythonOutcome>(core, "CompareOutcome", "What compare did.")
      .def(py::init(&make_outcome), "total"_a, "done"_a, "skipped"_a, "database"_a,
           "Make an outcome; see the properties.")
      .def_property_readonly(
          "total", [](const PythonOutcome& self) { return self.counts.total; },
          "Runs of the study, or of the shard.")
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
          "__fspath__", [](const PythonOutcome& self) { return to_str(self.database.string()); },
          "Return the path of the database, so that it stands for one: load_results(outcome).")
      .def(
          "__reduce__",
          [](const py::object& self) {
            return py::make_tuple(py::type::of(self),
                                  py::make_tuple(self.attr("total"), self.attr("done"),
                                                 self.attr("skipped"), self.attr("database")));
          },
          "Pickle it.");
  core.def("compare", &compare, "study"_a, py::kw_only(), "db"_a = "results.db",
           "csv"_a = py::none(), "threads"_a = py::none(), "resume"_a = false, "force"_a = false,
           "shard"_a = "1/1", "overrides"_a = py::tuple(), "progress"_a = py::none(),
           "timing"_a = true, "timeline"_a = false, R"doc(
Run every combination of a study on all cores, as `cospot compare` does.

Releases the GIL. Ctrl-C stops it cleanly: KeyboardInterrupt is raised, what is done is in the
database, and the same call with resume=True goes on.

Args:
    study: A study file, or a dict with its keys (docs/sweep-file.md, cospot.Study). In a dict, a
        workload may also be a Workload, a list a range or an array, and a policy a Chain, a
        compiled policy, or a class or object below cospot.Weigher, cospot.Filter or cospot.Evictor;
        paths are relative to the current folder.
    db: Results database to write.
    csv: Write the results as CSV too.
    threads: How many, 1 to 4096; one a core unless given.
    resume: Continue the database, or start it.
    force: Replace the database.
    shard: Do part I of N: "I/N".
    overrides: As --set on the command line: ["otn=[1,4]", "host.vcpus=64"].
    progress: A function, called with (done, total) runs as the work goes on, by the calling thread. None: a bar of tqdm, if
        that is installed, on terminals and in notebooks; True: a bar anywhere; False: nothing.
    timing: False: 0 for every time, so that output repeats.
    timeline: Keep what each run does every day (`Results.timeline`); of studies of a provider's
        datacenter.

Returns:
    A CompareOutcome.

Raises:
    ConfigError: The study or an argument cannot be used.
    WorkloadError: A workload cannot be used.
    DatabaseError: The database already exists, is of another study, or cannot be written.
    PolicyError: A policy broke its contract; what was done is kept.
)doc");
  core.def(
      "mean_interval",
      [](const py::object& values) {
        const MeanInterval interval = mean_interval(read_numbers(values, "values"));
        return std::pair(interval.mean, interval.half_width);
      },
      "values"_a, R"doc(
Mean of values, and half the width of its 95 % confidence interval by Student's t.

Args:
    values: One number or more.

Returns:
    (mean, half width); the second is None for a single value.
)doc");
}

}  // namespace cospot::bindings
