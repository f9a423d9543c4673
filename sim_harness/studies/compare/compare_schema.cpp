#include "sim_harness/studies/compare/compare_schema.hpp"

#include <fmt/format.h>

#include <utility>

#include "sim_harness/experiments/results/measure.hpp"
#include "sim_harness/studies/compare/compare_views.hpp"
#include "sim_harness/studies/compare/sweep_grid.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_views.hpp"
#include "sim_harness/studies/provider/run_measures.hpp"

namespace cospot {
namespace {

const std::vector<Measure<RunResult>>& measures() {
  using R = RunResult;
  static const std::vector<Measure<R>> made = [] {
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
         measure<&R::wall_ms>(
             {.name = "wall_ms",
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
             })});
    return all;
  }();
  return made;
}

/// What a run came from.
std::vector<Column> details() {
  return {{.name = "workload_sha256",
           .role = ColumnRole::kDetail,
           .type = ColumnType::kText,
           .meaning = "SHA-256 of the workload that was run"},
          {.name = "seed",
           .role = ColumnRole::kDetail,
           .meaning = "of a synthetic workload; 0 when the run draws nothing"}};
}

/// Of the view run_figures (compare_views.hpp).
std::vector<Column> derived_columns() {
  const auto flag = [](const char* name, const char* meaning) {
    return Column{.name = name,
                  .role = ColumnRole::kDerived,
                  .type = ColumnType::kBoolean,
                  .unit = "0 or 1",
                  .meaning = meaning};
  };
  return {
      derived_fraction(
          "gain",
          "spot revenue over that of the baseline (same workload, size, VM, spot and evictor, "
          "OTN 1 and SAF off), minus 1; NULL where the baseline is missing or earned nothing"),
      derived_fraction("vm_loss", "part of the requested VM revenue that was not earned"),
      derived_fraction("spot_share", "spot revenue over what spots requested"),
      Column{.name = "spot_vcpu_hours_per_host",
             .role = ColumnRole::kDerived,
             .type = ColumnType::kNumber,
             .unit = "vCPU-hours",
             .meaning = "earned by spots inside the window, over the hosts; of relative units, "
                        "unit-hours"},
      derived_fraction("spot_share_first_hour_free",
                       "the same when a spot evicted in its first hour earns nothing"),
      derived_fraction("first_hour_free_loss", "how much less of what spots earned that is"),
      derived_fraction("first_hour_free_loss_of_requested",
                       "how much less of what spots requested that is"),
      flag("without_vm_loss", "no VM rejected but those larger than a host"),
      flag("is_baseline", "OTN 1 and SAF off"),
      flag("has_baseline", "the baseline is among the runs"),
      flag("needs_true_lifetimes",
           "a policy of it knows when spots will end: an upper bound, which no datacenter can be "
           "set to")};
}

std::string views() {
  const std::vector<Column> axes = provider_table().columns();
  const auto policies = std::span(axes).subspan(provider_table().position(kVmAxis.name));
  return baseline_view(axes) +
         fmt::format(fmt::runtime(kCompareViews), fmt::arg("axes", axes_sql(axes)),
                     fmt::arg("policies", axes_sql(policies, "")),
                     fmt::arg("figures_policies", axes_sql(policies, "figures")));
}

}  // namespace

const Schema& compare_schema() {
  static const Schema schema = [] {
    Schema made{.study = "compare",
                .axes = provider_table().columns(),
                .measures = columns_of(std::span(measures())),
                .derived = derived_columns(),
                .views = views()};
    for (const Column& detail : details()) made.measures.push_back(detail);
    return made;
  }();
  return schema;
}

Measures compare_measures(const RunResult& result, const std::string& workload_sha256,
                          std::uint64_t seed) {
  Measures values = values_of(std::span(measures()), result);
  values.insert(values.end(), {workload_sha256, static_cast<std::int64_t>(seed)});
  return values;
}

Row to_row(const ResultRow& row) {
  Row values{
      .run_index = row.run_index,
      .values = {row.workload, row.headroom_percent ? Value(*row.headroom_percent) : Value(),
                 row.vm, row.spot, row.evictor, std::int64_t{row.saf}, axis_value(row.otn).value},
      .configuration = row.configuration,
      .version = row.version};
  for (Value& value : compare_measures(row.result, row.workload_sha256, row.seed)) {
    values.values.push_back(std::move(value));
  }
  return values;
}

}  // namespace cospot
