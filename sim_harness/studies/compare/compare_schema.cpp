#include "sim_harness/studies/compare/compare_schema.hpp"

#include <utility>

#include "sim_harness/results/measure.hpp"
#include "sim_harness/studies/compare/compare_views.hpp"
#include "sim_harness/studies/compare/sweep_grid.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"

namespace cospot {
namespace {

/// What a run came to and what it came from, as one struct.
struct CompareResult {
  RunResult run;
  std::string workload_sha256;
  std::uint64_t seed = 0;
};

/// A measure of the run itself.
template <auto kMember>
Measure<CompareResult> of_run(Column column) {
  using Type = MemberType<decltype(type_of(kMember))>;
  column.type = Type::kType;
  return {std::move(column),
          [](const CompareResult& result) { return Type::to_value(result.run.*kMember); },
          [](CompareResult& result, const Value& value) {
            result.run.*kMember = Type::from_value(value);
          }};
}

const std::vector<Measure<CompareResult>>& measures() {
  using R = RunResult;
  static const std::vector<Measure<CompareResult>> all{
      of_run<&R::hosts>({.name = "hosts", .unit = "hosts", .meaning = "in the datacenter"}),
      of_run<&R::vm_requests>({.name = "vm_requests", .unit = "VMs", .meaning = "requested"}),
      of_run<&R::vm_rejected>({.name = "vm_rejected",
                               .unit = "VMs",
                               .meaning = "rejected, those larger than a host included"}),
      of_run<&R::spot_requests>({.name = "spot_requests", .unit = "spots", .meaning = "requested"}),
      of_run<&R::spot_admitted>({.name = "spot_admitted", .unit = "spots", .meaning = "placed"}),
      of_run<&R::evictions>({.name = "evictions", .unit = "spots", .meaning = "evicted"}),
      of_run<&R::vm_revenue_requested>(
          {.name = "vm_revenue_requested", .unit = "vcpu-seconds", .meaning = "requested by VMs"}),
      of_run<&R::vm_revenue>(
          {.name = "vm_revenue", .unit = "vcpu-seconds", .meaning = "earned by VMs"}),
      of_run<&R::spot_revenue_requested>({.name = "spot_revenue_requested",
                                          .unit = "vcpu-seconds",
                                          .meaning = "requested by spots"}),
      of_run<&R::spot_revenue>(
          {.name = "spot_revenue", .unit = "vcpu-seconds", .meaning = "earned by spots"}),
      of_run<&R::alloc_p50_ns>({.name = "alloc_p50_ns",
                                .role = ColumnRole::kTime,
                                .unit = "ns",
                                .meaning = "time per VM allocation (decide, evict, place): median; "
                                           "of the quick ones one in 64 is timed and stands for 64 "
                                           "([semantics.md](semantics.md#times))"}),
      of_run<&R::alloc_p99_ns>({.name = "alloc_p99_ns",
                                .role = ColumnRole::kTime,
                                .unit = "ns",
                                .meaning = "the same, 99th percentile"}),
      of_run<&R::alloc_max_ns>({.name = "alloc_max_ns",
                                .role = ColumnRole::kTime,
                                .unit = "ns",
                                .meaning = "the same, longest"}),
      of_run<&R::wall_ms>({.name = "wall_ms",
                           .role = ColumnRole::kTime,
                           .unit = "ms",
                           .meaning = "time the run took; what runs share counts in equal shares",
                           .decimals = 3}),
      of_run<&R::vm_too_large>({.name = "vm_too_large",
                                .unit = "VMs",
                                .meaning = "of the rejected: larger than an empty host"}),
      of_run<&R::spot_revenue_first_hour_free>(
          {.name = "spot_revenue_first_hour_free",
           .unit = "vcpu-seconds",
           .meaning = "earned by spots when one that is evicted less than an hour after its "
                      "placement earns nothing"}),
      {{.name = "spot_revenue_per_host",
        .type = ColumnType::kNumber,
        .unit = "vcpu-seconds",
        .meaning = "earned by spots, over the hosts",
        .decimals = 3},
       [](const CompareResult& result) -> Value {
         return vcpu_seconds(result.run.spot_revenue) / static_cast<double>(result.run.hosts);
       },
       [](CompareResult& /*follows from others*/, const Value&) {}},
      measure<&CompareResult::workload_sha256>({.name = "workload_sha256",
                                                .role = ColumnRole::kDetail,
                                                .meaning = "SHA-256 of the workload that was run"}),
      measure<&CompareResult::seed>(
          {.name = "seed",
           .role = ColumnRole::kDetail,
           .meaning = "of a synthetic workload; 0 when the run draws nothing"})};
  return all;
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

}  // namespace

const Schema& compare_schema() {
  static const Schema schema{.study = "compare",
                             .axes = provider_table().columns(),
                             .measures = columns_of(std::span(measures())),
                             .derived = derived_columns(),
                             .views = std::string(kCompareViews)};
  return schema;
}

Measures compare_measures(const RunResult& result, const std::string& workload_sha256,
                          std::uint64_t seed) {
  return values_of(std::span(measures()), CompareResult{result, workload_sha256, seed});
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

ResultRow to_result_row(const Row& row) {
  const std::size_t axes = compare_schema().axes.size();
  const auto text = [&row](std::size_t i) { return std::get<std::string>(row.values.at(i)); };
  const double* headroom = std::get_if<double>(&row.values.at(1));
  const CompareResult result =
      result_of(std::span(measures()), std::span(row.values).subspan(axes));
  return {.run_index = row.run_index,
          .workload = text(0),
          .headroom_percent = headroom == nullptr ? std::nullopt : std::optional(*headroom),
          .vm = text(2),
          .spot = text(3),
          .evictor = text(4),
          .saf = std::get<std::int64_t>(row.values.at(5)) != 0,
          .otn = OfferRule::parse(csv_value(compare_schema().axes[6], row.values.at(6))),
          .result = result.run,
          .workload_sha256 = result.workload_sha256,
          .configuration = row.configuration,
          .version = row.version,
          .seed = result.seed};
}

}  // namespace cospot
