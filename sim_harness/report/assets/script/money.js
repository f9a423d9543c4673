// What shares are worth, where the report was written with prices of a vCPU-hour.
const Money = (() => {
  /** How many vCPUs one of a workload's vcpus is; of relative units a price is that of a unit. */
  const vcpus = (workload) =>
    (workload.unit === undefined || workload.unit === "relative" ? 1 : Number(workload.unit));

  /** Of a vCPU-hour, or unit-hour; by flavor a workload's mean. */
  const prices = (workload) => Results.prices.byWorkload?.[workload.label] ?? Results.prices;

  /** A workload's requests at these prices. */
  const requested = Results.prices === null ? []
    : Results.axes.workload.values.map((workload) => ({
      vms: ((workload.vmRevenue ?? NaN) / 3600) * vcpus(workload) * prices(workload).onDemand,
      spots: ((workload.spotRevenue ?? NaN) / 3600) * vcpus(workload) * prices(workload).spot,
    }));

  /** What spots earn, what they requested and what VMs lose; the mean over the runs of a point. */
  function of(point) {
    const mean = (value) =>
      point.runs.reduce((sum, run) => sum + value(run, requested[Results.coordinates.workload[run]]), 0) /
      point.runs.length;
    return {
      earned: mean((run, money) => (Results.columns.share[run] / 100) * money.spots),
      requested: mean((run, money) => money.spots),
      lost: mean((run, money) => (Results.columns.loss[run] / 100) * money.vms),
    };
  }

  return { vcpus, of };
})();
