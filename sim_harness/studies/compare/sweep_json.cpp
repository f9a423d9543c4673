#include "sim_harness/studies/compare/sweep_json.hpp"

#include <fmt/core.h>

#include "sim_harness/studies/provider/provider_json.hpp"

namespace cospot {

namespace {

std::string workload_with_unit(const WorkloadSpec& workload, const VcpusUnit& unit) {
  std::string json = workload_json(workload);
  if (unit == VcpusUnit{}) return json;
  json.pop_back();  // the bracket, for one member more
  return json + fmt::format(",\"vcpus_unit\":{}}}", json_text(vcpus_unit_text(unit)));
}

std::string workloads_json(const Sweep& sweep, std::span<const VcpusUnit> units) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < sweep.workloads.size(); ++i) {
    items.push_back(workload_with_unit(sweep.workloads[i], units.empty() ? VcpusUnit{} : units[i]));
  }
  return json_list(items);
}

}  // namespace

std::string sweep_json(const Sweep& sweep, std::span<const VcpusUnit> units) {
  return provider_settings_json(sweep, workloads_json(sweep, units)).text();
}

std::string run_json(const Sweep& sweep, const RunCoordinates& run, std::size_t hosts) {
  return fmt::format(
      "{{\"workload\":{},\"host\":{},\"size\":{},\"hosts\":{},\"vm\":{},\"spot\":{},"
      "\"evictor\":{},\"saf\":{},\"otn\":{}}}",
      workload_json(sweep.workloads[run.workload]), host_json(sweep.host),
      size_json(sweep.sizes[run.size]), hosts, chain_json(sweep.vm[run.vm]),
      chain_json(sweep.spot[run.spot]), evictor_json(sweep.evictors[run.evictor]),
      sweep.saf[run.saf] ? "true" : "false", otn_json(sweep.otn[run.otn]));
}

}  // namespace cospot
