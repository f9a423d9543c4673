#include "sim_harness/studies/compare/compare_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "sim_harness/experiments/results/measure.hpp"
#include "sim_harness/studies/compare/money.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_views.hpp"
#include "sim_harness/studies/provider/run_measures.hpp"

namespace cospot {
namespace {

/// Values derived from the runs of a comparison, as views of its database, so that C++, Python, the
/// report and any sqlite3 client read the same numbers. docs/results-format.md describes every
/// column.
///
/// The size of a datacenter is `headroom_percent`, or `size_hosts` if the sweep states hosts; the
/// other one is NULL. Shares, losses and gains are fractions: 0.35 is 35 %.
inline constexpr std::string_view kVcpusView = R"sql(
CREATE VIEW vcpus_of_workload AS
  -- How many vCPUs one of a workload's vcpus is; a relative unit is counted as it is.
  SELECT label AS workload,
    CASE vcpus_unit WHEN 'relative' THEN 1.0 ELSE CAST(vcpus_unit AS REAL) END AS vcpus
  FROM input WHERE key = '';
)sql";

/// Results of each combination over the workloads, and the best of each size. {policies} are the
/// axes other than workload and size; {figures_policies} the same columns of `figures`.
inline constexpr std::string_view kCompareViews = R"sql(
CREATE VIEW combination AS
SELECT figures.headroom_percent, size_hosts, {figures_policies},
  min(run_index) AS first_run, count(*) AS workloads, avg(run.hosts) AS hosts,
  avg(spot_share) AS spot_share, avg(spot_vcpu_hours_per_host) AS spot_vcpu_hours_per_host,
  avg(vm_loss) AS vm_loss, avg(gain) AS gain,
  avg(figures.evictions) AS evictions, min(without_vm_loss) AS without_vm_loss,
  max(needs_true_lifetimes) AS needs_true_lifetimes
FROM run_figures AS figures JOIN run USING (run_index)
GROUP BY figures.headroom_percent, size_hosts, {figures_policies};

CREATE VIEW best_without_vm_loss AS
SELECT headroom_percent, size_hosts, needs_true_lifetimes, {policies}, first_run,
  hosts, spot_share, spot_vcpu_hours_per_host, gain, evictions
FROM (
  SELECT *, row_number() OVER (
    PARTITION BY headroom_percent, size_hosts, needs_true_lifetimes
    ORDER BY spot_share DESC, first_run) AS place
  FROM combination
  WHERE without_vm_loss AND workloads = (SELECT count(DISTINCT workload) FROM run)
)
WHERE place = 1;

CREATE VIEW pareto_front AS
SELECT headroom_percent, size_hosts, {policies}, first_run, workloads,
  hosts, spot_share, spot_vcpu_hours_per_host, vm_loss, gain, evictions
FROM (
  SELECT *,
    max(spot_share) OVER (PARTITION BY headroom_percent, size_hosts, vm_loss) AS most_for_loss,
    max(spot_share) OVER (
      PARTITION BY headroom_percent, size_hosts ORDER BY vm_loss
      GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS most_for_less_loss
  FROM combination
  WHERE NOT needs_true_lifetimes AND spot_share IS NOT NULL AND vm_loss IS NOT NULL
)
WHERE spot_share = most_for_loss
  AND (most_for_less_loss IS NULL OR spot_share > most_for_less_loss)
ORDER BY headroom_percent, size_hosts, vm_loss, first_run;
)sql";

std::vector<Measure<RunResult>> run_columns() {
  using R = RunResult;
  std::vector<Measure<R>> all =
      run_measures("rejected, those larger than a host included", "placed",
                   {.name = "evictions", .unit = "spots", .meaning = "evicted"});
  all.insert(
      all.end(),
      {measure<&R::alloc_p50_ns>({.name = "alloc_p50_ns",
                                  .role = ColumnRole::kTime,
                                  .unit = "ns",
                                  .meaning =
                                      "time per VM allocation (decide, evict, place): median; "
                                      "of the quick ones one in 64 is timed and stands for 64 "
                                      "([semantics.md](semantics.md#times))"}),
       measure<&R::alloc_p99_ns>({.name = "alloc_p99_ns",
                                  .role = ColumnRole::kTime,
                                  .unit = "ns",
                                  .meaning = "the same, 99th percentile"}),
       measure<&R::alloc_max_ns>({.name = "alloc_max_ns",
                                  .role = ColumnRole::kTime,
                                  .unit = "ns",
                                  .meaning = "the same, longest"}),
       measure<&R::wall_ms>({.name = "wall_ms",
                             .role = ColumnRole::kTime,
                             .unit = "ms",
                             .meaning = "time the run took; what runs share counts in equal shares",
                             .decimals = 3}),
       measure<&R::vm_too_large>({.name = "vm_too_large",
                                  .unit = "VMs",
                                  .meaning = "of the rejected: larger than an empty host"}),
       measure<&R::spot_revenue_first_hour_free>(
           {.name = "spot_revenue_first_hour_free",
            .unit = "vcpu-seconds",
            .meaning = "earned by spots when one that is evicted less than an hour after its "
                       "placement earns nothing"}),
       measure<R>({.name = "spot_revenue_per_host",
                   .unit = "vcpu-seconds",
                   .meaning = "earned by spots, over the hosts",
                   .decimals = 3},
                  [](const R& result) {
                    return vcpu_seconds(result.spot_revenue) / static_cast<double>(result.hosts);
                  }),
       revenue_difference<R>(
           "spot_revenue_first_hour_lost",
           "earned by spots that were evicted less than an hour after their placement",
           [](const R& result) {
             return result.spot_revenue - result.spot_revenue_first_hour_free;
           }),
       measure<&R::spot_alloc_p50_ns>({.name = "spot_alloc_p50_ns",
                                       .role = ColumnRole::kTime,
                                       .unit = "ns",
                                       .meaning = "time per spot allocation (decide, place): "
                                                  "median; one in 64 is timed"}),
       measure<&R::spot_alloc_p99_ns>({.name = "spot_alloc_p99_ns",
                                       .role = ColumnRole::kTime,
                                       .unit = "ns",
                                       .meaning = "the same, 99th percentile"}),
       measure<&R::spot_alloc_max_ns>({.name = "spot_alloc_max_ns",
                                       .role = ColumnRole::kTime,
                                       .unit = "ns",
                                       .meaning = "the same, longest"})});
  return all;
}

std::vector<Measure<RunOutcome>> measures() {
  using R = RunOutcome;
  std::vector<Measure<R>> all =
      measures_of<&R::life>(measures_of<&LifeResult::run>(compared_run_measures()));
  all.push_back(measure<&R::workload_sha256>({.name = "workload_sha256",
                                              .role = ColumnRole::kDetail,
                                              .meaning = "SHA-256 of the workload that was run"}));
  all.push_back(measure<&R::workload_seed>(
      {.name = "seed",
       .role = ColumnRole::kDetail,
       .meaning = "of a synthetic workload; 0 when the run draws nothing"}));
  return all;
}

std::vector<DerivedMeasure> derived() {
  const auto flag = [](const char* name, const char* meaning) {
    return Column{.name = name,
                  .role = ColumnRole::kDerived,
                  .type = ColumnType::kBoolean,
                  .unit = "0 or 1",
                  .meaning = meaning};
  };
  const auto detail = [](const char* name) {
    return Column{.name = name, .role = ColumnRole::kDetail};
  };
  const auto needs_lifetimes = [](const char* axis) {
    return fmt::format(
        "run.{0} IN (SELECT label FROM axis_value WHERE axis = '{0}' AND needs_true_lifetimes)",
        axis);
  };
  return {
      {detail("size_hosts"), "CASE WHEN run.headroom_percent IS NULL THEN run.hosts END"},
      {derived_fraction(
           "gain",
           "spot revenue over that of the baseline (same workload, size, VM, spot and evictor, "
           "OTN 1 and SAF off), minus 1; NULL where the baseline is missing or earned nothing"),
       "run.spot_revenue / NULLIF(baseline.spot_revenue, 0) - 1"},
      {derived_fraction("vm_loss", "part of the requested VM revenue that was not earned"),
       "run.vm_revenue_lost / NULLIF(run.vm_revenue_requested, 0)"},
      {derived_fraction("spot_share", "spot revenue over what spots requested"),
       "run.spot_revenue / NULLIF(run.spot_revenue_requested, 0)"},
      {Column{.name = "spot_vcpu_hours_per_host",
              .role = ColumnRole::kDerived,
              .type = ColumnType::kNumber,
              .unit = "vCPU-hours",
              .meaning = "earned by spots inside the window, over the hosts; of relative units, "
                         "unit-hours"},
       "run.spot_revenue * coalesce(unit.vcpus, 1) / 3600 / run.hosts"},
      {derived_fraction("spot_share_first_hour_free",
                        "the same when a spot evicted in its first hour earns nothing"),
       "run.spot_revenue_first_hour_free / NULLIF(run.spot_revenue_requested, 0)"},
      {derived_fraction("first_hour_free_loss", "how much less of what spots earned that is"),
       "run.spot_revenue_first_hour_lost / NULLIF(run.spot_revenue, 0)"},
      {derived_fraction("first_hour_free_loss_of_requested",
                        "how much less of what spots requested that is"),
       "run.spot_revenue_first_hour_lost / NULLIF(run.spot_revenue_requested, 0)"},
      {flag("without_vm_loss", "no VM rejected but those larger than a host"),
       "run.vm_rejected = run.vm_too_large"},
      {flag("is_baseline", "OTN 1 and SAF off"), "run.saf = 0 AND run.otn = 1"},
      {flag("has_baseline", "the baseline is among the runs"), "baseline.run_index IS NOT NULL"},
      {flag("needs_true_lifetimes",
            "a policy of it knows when spots will end, which no datacenter can be "
            "set to"),
       fmt::format("{}\n    OR {}\n    OR {}", needs_lifetimes("vm"), needs_lifetimes("spot"),
                   needs_lifetimes("evictor"))},
      {detail("evictions"), "run.evictions"}};
}

/// The baseline of every run, and what a vcpu of each workload is.
std::string views(std::span<const Column> axes) {
  return baseline_view(axes) + std::string(kVcpusView);
}

/// The best combination of each size, for a comparison of policies alone.
std::string best_views(std::span<const Column> axes) {
  const auto policies = std::ranges::find(axes, kVmAxis.name, &Column::name) - axes.begin();
  const auto of_policies = axes.subspan(static_cast<std::size_t>(policies));
  return fmt::format(fmt::runtime(kCompareViews), fmt::arg("policies", axes_sql(of_policies, "")),
                     fmt::arg("figures_policies", axes_sql(of_policies, "figures")));
}

}  // namespace

const ProviderPreset& compare_preset() {
  static const ProviderPreset made{
      .name = "compare",
      .summary = "every combination of workloads, sizes, policies, SAF and OTN",
      .page = "docs/sweep-file.md",
      .subject = "study",
      .rows = provider_rows(),
      .measures = measures(),
      .derived = derived(),
      .views = views,
      .joins =
          " LEFT JOIN vcpus_of_workload AS unit ON unit.workload = run.workload"
          " LEFT JOIN baseline USING (run_index)",
      .own_views = best_views,
      .figures = {.title = "Policies compared",
                  .figures = {kVmLoss,
                              kSpotShare,
                              {.name = "gain",
                               .title = "gain",
                               .decimals = 3,
                               .meaning = "over OTN 1 and SAF off, all else the same"},
                              {.name = "evictions",
                               .title = "evictions",
                               .unit = FigureUnit::kNumber,
                               .decimals = 1,
                               .sql = "run.evictions"}}},
      .money = compare_money()};
  return made;
}

const std::vector<Measure<RunResult>>& compared_run_measures() {
  static const std::vector<Measure<RunResult>> made = run_columns();
  return made;
}

const Schema& compare_schema() {
  static const Schema schema = ProviderStudy(compare_preset(), {}).schema();
  return schema;
}

Measures compare_measures(const RunResult& result, const std::string& workload_sha256,
                          std::uint64_t seed) {
  return values_of(
      std::span(compare_preset().measures),
      {.life = {.run = result}, .workload_sha256 = workload_sha256, .workload_seed = seed});
}

}  // namespace cospot
