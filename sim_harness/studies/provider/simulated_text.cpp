#include "sim_harness/studies/provider/simulated_text.hpp"

#include <fmt/format.h>

#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"

namespace cospot {

std::string simulated_text(const RunSettings& run) {
  return fmt::format(
      "Simulated on {} host{}: vm {}, spot {}, evictor {}, saf {}, otn {} (--set KEY=VALUE changes "
      "them)\n",
      count_text(static_cast<std::int64_t>(run.hosts)), run.hosts == 1 ? "" : "s", run.vm.label,
      run.spot.label, run.evictor.label, run.saf_label(), run.otn.label());
}

}  // namespace cospot
