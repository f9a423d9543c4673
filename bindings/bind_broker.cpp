// A customer's jobs on spot markets: one run, and which way to run them costs least.

#include <fmt/format.h>
#include <pybind11/pybind11.h>

#include <filesystem>
#include <string>

#include "bindings/arguments.hpp"
#include "bindings/bindings.hpp"
#include "bindings/given_study.hpp"
#include "bindings/measured_value.hpp"
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

constexpr const char* kBrokerModule = "cospot.customer.broker";

struct GivenBroker {
  BrokerStudySettings settings;
  std::string where;
};

GivenBroker read_broker(const py::object& study, const py::iterable& overrides,
                        const BrokerStudySettings& defaults) {
  GivenPolicies policies;
  const GivenStudy given = read_given_study(study, "study", read_overrides(overrides), policies);
  return {require_broker_study(given.file.root, given.file.folder, given.where, defaults),
          given.where};
}

double usd(MicroUsd amount) { return static_cast<double>(amount) / static_cast<double>(kUsd); }

py::object to_result(const Candidate& one) {
  const RankedSetting& figures = one.figures;
  return make_result(
      kBrokerModule, "BrokerSetting", "bid"_a = one.bid, "alpha"_a = one.alpha,
      "fault_tolerance"_a = one.fault_tolerance, "market_choice"_a = one.market_choice,
      "seeds"_a = figures.runs.size(), "cost"_a = interval_result(figures.cost),
      "cost_per_useful_job"_a = interval_result(figures.cost_per_useful_job),
      "to_best"_a = interval_result(figures.to_best), "told_apart"_a = figures.is_told_apart(),
      "saving"_a = interval_result(one.saving), "late_share"_a = one.late_share,
      "worst_late_share"_a = one.worst_late, "revocations"_a = figures.revocations.mean);
}

py::object to_result(const MarketBid& one) {
  const bool has_capacity = one.price < kNoCapacityPrice;
  return make_result(kBrokerModule, "MarketBid", "type"_a = one.type, "os"_a = one.os,
                     "datacenter"_a = one.datacenter, "bid"_a = usd(one.bid),
                     "spot_price"_a = has_capacity ? std::optional(usd(one.price)) : std::nullopt,
                     "on_demand_price"_a = usd(one.on_demand_price),
                     "share_of_instances"_a = one.share);
}

py::object to_result(const Recommendation& all) {
  const auto settings = [](const std::vector<Candidate>& ones) {
    return list_of_results(ones, [](const Candidate& one) { return to_result(one); });
  };
  const bool has_best = !all.ranked.empty();
  const py::object best = has_best ? to_result(all.ranked.front()) : py::none();
  const OnDemandAlone& alone = all.on_demand;
  return make_result(
      kBrokerModule, "BrokerRecommendation", "seeds"_a = all.seeds, "days"_a = all.days,
      "allowed_late_share"_a = all.allowed_late,
      "recommendation"_a = all.beats_on_demand() ? best : py::none(), "best"_a = best,
      "cost_per_month"_a =
          has_best ? interval_result(cost_per_month(all.ranked.front().figures.cost, all.days))
                   : py::none(),
      "bids"_a = list_of_results(all.bids, [](const MarketBid& one) { return to_result(one); }),
      "on_demand"_a = make_result(
          kBrokerModule, "OnDemand", "market_choice"_a = alone.market_choice,
          "cost"_a = interval_result(alone.figures.cost),
          "cost_per_month"_a = interval_result(cost_per_month(alone.figures.cost, all.days)),
          "late_share"_a = alone.late_share),
      "drawn"_a = all.drawn, "cautions"_a = all.cautions, "within_risk"_a = settings(all.ranked),
      "beyond_risk"_a = settings(all.others), "dropped"_a = settings(all.dropped));
}

py::dict broker_run(const py::object& study, const py::iterable& overrides,
                    const py::object& events) {
  const GivenBroker given = read_broker(study, overrides, paper_defaults());
  std::filesystem::path file;
  if (!events.is_none()) file = read_path(events, "events");
  const BrokerFigures figures =
      figures_of(watched([&] { return run_single(given.settings, given.where, file); }));
  py::dict measures;
  for (const Measure<BrokerFigures>& one : broker_measures()) {
    measures[one.column.name.c_str()] = measured(one.read(figures));
  }
  return measures;
}

py::object broker_recommend(const py::object& study, const py::iterable& overrides,
                            const py::object& max_late_percent, const py::object& threads) {
  const GivenBroker given = read_broker(study, overrides, recommendation_defaults());
  const double percent = read_any_number(max_late_percent, "max_late_percent");
  if (!(percent >= 0 && percent <= 100)) {
    throw ConfigError(
        fmt::format("max_late_percent: found {}, expected a number from 0 to 100", percent));
  }
  const RecommendOptions options{.allowed_late = percent / 100, .threads = read_threads(threads)};
  return to_result(watched([&] { return recommend(given.settings, options); }));
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
           "overrides"_a = py::tuple(), "max_late_percent"_a = 1, "threads"_a = py::none(), R"doc(
Find the cheapest way to run a customer's jobs, as `cospot broker recommend` does.

Tries every bid, alpha, mechanism and choice of a market of the study over all its seeds: 20, and
the strategies that docs/broker.md finds best among others, where the study does not say.

Args:
    study: Study file (YAML) with `study: broker`, or a dict of its keys.
    overrides: Assignments as those of --set.
    max_late_percent: Jobs that may be late beyond those that are late on-demand too, on the mean.
    threads: How many, 1 to 4096; one a core unless given.

Returns:
    cospot.BrokerRecommendation.

Raises:
    ConfigError, WorkloadError: The study or one of its files cannot be used.
)doc");
}

}  // namespace cospot::bindings
