#pragma once

#include <string_view>

namespace cospot {

/// Values derived from the runs of a comparison, as views of its database, so that C++, Python, the
/// report and any sqlite3 client read the same numbers. docs/results-format.md describes every
/// column.
///
/// The size of a datacenter is `headroom_percent`, or `size_hosts` if the sweep states hosts; the
/// other one is NULL. Shares, losses and gains are fractions: 0.35 is 35 %.
inline constexpr std::string_view kVcpusView = R"sql(
CREATE VIEW vcpus_of_workload AS
  -- How many vCPUs one of a workload's vcpus is; a relative unit is counted as it is.
  SELECT json_extract(workload.value, '$.label') AS workload,
    CASE json_extract(workload.value, '$.vcpus_unit') WHEN 'relative' THEN 1.0
      ELSE CAST(coalesce(json_extract(workload.value, '$.vcpus_unit'), '1') AS REAL) END AS vcpus
  FROM sweep, json_each(sweep.configuration, '$.workloads') AS workload;
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

}  // namespace cospot
