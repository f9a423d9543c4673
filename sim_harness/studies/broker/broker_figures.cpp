#include "sim_harness/studies/broker/broker_figures.hpp"

namespace cospot {
namespace {

double hours(Seconds seconds) { return static_cast<double>(seconds) / static_cast<double>(kHour); }

}  // namespace

BrokerFigures figures_of(const BrokerResult& result, const OnDemandRun& alone) {
  BrokerFigures figures{.jobs = result.jobs,
                        .completed = result.completed,
                        .deadline_violations = result.deadline_violations,
                        .cost = usd(result.cost),
                        .cost_per_useful_job = std::nullopt,
                        .requests = result.requests,
                        .revocations = result.revocations,
                        .checkpoints = result.checkpoints,
                        .restores = result.restores,
                        .hours_paid = hours(result.paid),
                        .hours_useful = hours(result.useful),
                        .hours_lost = hours(result.lost),
                        .hours_overhead = hours(result.overhead),
                        .hours_idle = hours(result.idle),
                        .hours_on_demand = hours(result.on_demand),
                        .unfinished = result.unfinished,
                        .on_demand_alone_cost = alone.cost,
                        .on_demand_alone_late = alone.late};
  if (result.jobs > result.deadline_violations) {
    figures.cost_per_useful_job =
        figures.cost / static_cast<double>(result.jobs - result.deadline_violations);
  }
  return figures;
}

const std::vector<Measure<BrokerFigures>>& broker_measures() {
  using F = BrokerFigures;
  static const std::vector<Measure<F>> all = [] {
    Column per_job{.name = "cost_per_useful_job",
                   .unit = "USD",
                   .meaning = "cost / jobs that met their deadline; empty: none did"};
    per_job.may_be_null = true;
    return std::vector<Measure<F>>{
        measure<&F::jobs>({.name = "jobs", .unit = "jobs", .meaning = "submitted"}),
        measure<&F::completed>({.name = "completed", .unit = "jobs", .meaning = "in time or not"}),
        measure<&F::deadline_violations>({.name = "deadline_violations",
                                          .unit = "jobs",
                                          .meaning = "done after their deadline, or never"}),
        measure<&F::cost>({.name = "cost", .unit = "USD", .meaning = "of all instances"}),
        measure<&F::cost_per_useful_job>(per_job),
        measure<&F::requests>({.name = "requests", .unit = "requests", .meaning = "for instances"}),
        measure<&F::revocations>(
            {.name = "revocations", .unit = "instances", .meaning = "ended by the provider"}),
        measure<&F::checkpoints>({.name = "checkpoints", .unit = "snapshots", .meaning = "saved"}),
        measure<&F::restores>({.name = "restores", .unit = "snapshots", .meaning = "restored"}),
        measure<&F::hours_paid>({.name = "hours_paid",
                                 .unit = "h",
                                 .meaning = "of instances = useful + lost + overhead + idle"}),
        measure<&F::hours_useful>(
            {.name = "hours_useful", .unit = "h", .meaning = "paid, for work of finished jobs"}),
        measure<&F::hours_lost>({.name = "hours_lost",
                                 .unit = "h",
                                 .meaning = "paid, for work that had to be done again"}),
        measure<&F::hours_overhead>({.name = "hours_overhead",
                                     .unit = "h",
                                     .meaning = "paid, for booting, saving, restoring"}),
        measure<&F::hours_idle>({.name = "hours_idle", .unit = "h", .meaning = "paid, unused"}),
        measure<&F::hours_on_demand>(
            {.name = "hours_on_demand", .unit = "h", .meaning = "paid, of on-demand instances"}),
        measure<&F::unfinished>(
            {.name = "unfinished", .unit = "jobs", .meaning = "wait for a price that never comes"}),
        measure<&F::on_demand_alone_cost>(
            {.name = "on_demand_alone_cost",
             .unit = "USD",
             .meaning = "of the same jobs on on-demand instances alone, where these cost least"}),
        measure<&F::on_demand_alone_late>(
            {.name = "on_demand_alone_late",
             .unit = "jobs",
             .meaning = "that miss their deadline on on-demand instances alone"})};
  }();
  return all;
}

}  // namespace cospot
