// A customer's jobs on spot markets: one run, and which way to run them costs least.

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <filesystem>
#include <string>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/given_study.hpp"
#include "bindings/python_result.hpp"
#include "bindings/watched_work.hpp"
#include "core/errors.hpp"
#include "sim_harness/studies/broker/broker_figures.hpp"
#include "sim_harness/studies/broker/recommendation.hpp"
#include "sim_harness/studies/broker/single_run.hpp"

namespace cospot::bindings {

namespace py = pybind11;
using namespace pybind11::literals;

namespace {

struct GivenBroker {
  BrokerStudySettings settings;
  std::string where;
};

GivenBroker read_broker(const py::object& study, const py::object& overrides,
                        const BrokerStudySettings& defaults) {
  GivenPolicies policies;
  const GivenStudy given = read_given_study(study, "study", read_overrides(overrides), policies);
  return {require_broker_study(given.file.root, given.file.folder, given.where, defaults),
          given.where};
}

py::dict broker_run(const py::object& study, const py::object& overrides,
                    const py::object& events) {
  const GivenBroker given = read_broker(study, overrides, paper_defaults());
  std::filesystem::path file;
  if (!events.is_none()) file = read_path(events, "events");
  const BrokerFigures figures =
      watched([&] { return run_single(given.settings, given.where, file); });
  py::dict measures;
  for (const Measure<BrokerFigures>& one : broker_measures()) {
    measures[one.column.name.c_str()] = measured(one.read(figures));
  }
  return measures;
}

/// Leaves `percent` as it is for None.
void set_percent(const py::object& given, const char* name, double most, double& percent) {
  if (given.is_none()) return;
  percent = read_any_number(given, name);
  if (percent >= 0 && percent <= most) return;
  throw ConfigError(
      fmt::format("{}: found {}, expected a number from 0 to {}", name, percent, most));
}

py::object broker_recommend(const py::object& study, const py::object& overrides,
                            const py::object& max_late_percent, const py::object& threads,
                            const py::object& hold_out_percent) {
  GivenBroker given = read_broker(study, overrides, recommendation_defaults());
  RecommendOptions options{.threads = read_threads(threads)};
  set_percent(max_late_percent, kMaxLateKey.data(), 100, given.settings.max_late_percent);
  set_percent(hold_out_percent, "hold_out_percent", kMostHeldOutPercent, options.hold_out_percent);
  const Recommendation found = watched([&] { return recommend(given.settings, options); });
  return make_result("cospot.customer.broker", "BrokerRecommendation", recommendation_json(found));
}

}  // namespace

void bind_broker(py::module_& core) {
  core.def("broker_run", &broker_run, "study"_a, py::kw_only(), "overrides"_a = py::tuple(),
           "events"_a = py::none(), R"doc(
Run a customer's jobs on spot markets once, as the command `cospot broker run` does.

Args:
    study: Study file (YAML) with `study: broker`, or a dict of its keys; one value for each axis.
    overrides: Assignments as those of --set, as ["bid=mean", "seed=2"].
    events: CSV to write everything that happens to; gzip-compressed if it ends in .gz.

Returns:
    A dict of all measures: jobs, completed, deadline_violations, cost (USD), hours_paid and so on;
    cost_per_useful_job is None when no job met its deadline.

Raises:
    ConfigError: The study cannot be used, or has more than one value of an axis.
    WorkloadError, InputError: A file cannot be read or written.

Source: Voorsluys and Buyya, "Reliable Provisioning of Spot Instances", AINA 2012.
)doc");
  core.def("broker_recommend", &broker_recommend, "study"_a, py::kw_only(),
           "overrides"_a = py::tuple(), "max_late_percent"_a = py::none(), "threads"_a = py::none(),
           "hold_out_percent"_a = py::none(), R"doc(
Find the cheapest way to run a customer's jobs, as `cospot broker recommend` does.

Tries every bid, alpha, mechanism and choice of a market of the study over all its seeds: 20, and
the strategies that docs/broker.md finds best among others, where the study does not say.

Args:
    study: Study file (YAML) with `study: broker`, or a dict of its keys.
    overrides: Assignments as those of --set.
    max_late_percent: Jobs that may be late beyond those that are late on-demand too, on the mean;
        that of the study, or 1, unless given.
    threads: How many, 1 to 4096; one a core unless given.
    hold_out_percent: Share of the price history at its end that plays no part in the choice and
        shows what it costs there, 0 (none) to 90; 50 unless given.

Returns:
    cospot.BrokerRecommendation.

Raises:
    ConfigError, WorkloadError: The study or one of its files cannot be used.
)doc");
}

}  // namespace cospot::bindings
