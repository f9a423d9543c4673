#pragma once

#include <string_view>

namespace cospot {

/// What is derived from the runs of a comparison, as views of its database: C++, Python, the report
/// and anybody's sqlite3 read the same numbers. docs/results-format.md describes every column.
///
/// The size of a datacenter is `headroom_percent`, or `size_hosts` where the sweep gives hosts; the
/// other one is NULL. Shares, losses and gains are fractions: 0.35 is 35 %.
/// Of {axes}, {policies} (those but the workload and the size) and {figures_policies} (the same of
/// `figures`).
inline constexpr std::string_view kCompareViews = R"sql(
CREATE VIEW run_figures AS
WITH unit AS (
  -- How many vCPUs one of a workload's vcpus is; a relative unit is counted as it is.
  SELECT json_extract(workload.value, '$.label') AS workload,
    CASE json_extract(workload.value, '$.vcpus_unit') WHEN 'relative' THEN 1.0
      ELSE CAST(coalesce(json_extract(workload.value, '$.vcpus_unit'), '1') AS REAL) END AS vcpus
  FROM sweep, json_each(sweep.configuration, '$.workloads') AS workload
)
SELECT run.run_index, {axes},
  CASE WHEN run.headroom_percent IS NULL THEN run.hosts END AS size_hosts,
  run.spot_revenue / NULLIF(run.spot_revenue_requested, 0) AS spot_share,
  run.spot_revenue_first_hour_free / NULLIF(run.spot_revenue_requested, 0)
    AS spot_share_first_hour_free,
  run.spot_revenue * coalesce(unit.vcpus, 1) / 3600 / run.hosts AS spot_vcpu_hours_per_host,
  run.vm_revenue_lost / NULLIF(run.vm_revenue_requested, 0) AS vm_loss,
  run.spot_revenue_first_hour_lost / NULLIF(run.spot_revenue, 0) AS first_hour_free_loss,
  run.spot_revenue_first_hour_lost / NULLIF(run.spot_revenue_requested, 0)
    AS first_hour_free_loss_of_requested,
  run.evictions,
  baseline.run_index IS NOT NULL AS has_baseline,
  run.spot_revenue / NULLIF(baseline.spot_revenue, 0) - 1 AS gain,
  run.vm_rejected = run.vm_too_large AS without_vm_loss,
  run.saf = 0 AND run.otn = 1 AS is_baseline,
  run.vm IN (SELECT label FROM axis_value WHERE axis = 'vm' AND needs_true_lifetimes)
    OR run.spot IN (SELECT label FROM axis_value WHERE axis = 'spot' AND needs_true_lifetimes)
    OR run.evictor IN (SELECT label FROM axis_value WHERE axis = 'evictor' AND needs_true_lifetimes)
    AS needs_true_lifetimes
FROM run LEFT JOIN unit ON unit.workload = run.workload LEFT JOIN baseline USING (run_index);

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
