#include "sim_harness/studies/compare/sweep_json.hpp"

#include "sim_harness/studies/provider/provider_axes.hpp"
#include "sim_harness/studies/provider/provider_json.hpp"

namespace cospot {

std::string sweep_json(const Sweep& sweep) { return provider_table().json(sweep).dump(); }

std::string run_json(const Sweep& sweep, const RunCoordinates& run, std::size_t hosts) {
  const Json json{{"workload", setting_json(sweep.workloads[run.workload])},
                  {"host", host_json(sweep.host)},
                  {"size", setting_json(sweep.sizes[run.size])},
                  {"hosts", hosts},
                  {"vm", setting_json(sweep.vm[run.vm])},
                  {"spot", setting_json(sweep.spot[run.spot])},
                  {"evictor", setting_json(sweep.evictors[run.evictor])},
                  {"saf", bool{sweep.saf[run.saf]}},
                  {"otn", setting_json(sweep.otn[run.otn])}};
  return json.dump();
}

}  // namespace cospot
