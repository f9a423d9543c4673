// Decisions that are made outside the run.

#include <fmt/format.h>

#include <algorithm>

#include "core/errors.hpp"
#include "sim_harness/provider/loop/simulation_engine.hpp"

namespace cospot {

void SimulationEngine::decide(const Choice& choice) {
  const Request request = next_request();
  if (choice.has_host()) require_possible(choice, request);
  let_time_pass(request.time);
  evict(choice.host.host, choice.victims, request);
  if (choice.has_host()) {
    place(choice.host.host, request);
  } else {
    reject(request, LossCause::kRoom);
  }
  ++position_;
}

void SimulationEngine::require_possible(const Choice& choice, const Request& request) const {
  const HostIndex host = choice.host.host;
  const std::span<const RunningSpot> spots = spots_on(host);
  const auto what = [&] { return fmt::format("request {} on host {}", request.instance, host); };
  ResourceVector missing = shortfall(hosts(), host, request);
  if (!choice.victims.empty() && (missing.fits_in({}) || hosts_.is_lowest(request))) {
    throw ConfigError(fmt::format("{}: {} victims, expected none", what(), choice.victims.size()));
  }
  for (const InstanceIndex victim : choice.victims) {
    const auto spot = std::ranges::find(spots, victim, &RunningSpot::instance);
    if (spot == spots.end() || std::ranges::count(choice.victims, victim) > 1) {
      throw ConfigError(fmt::format("{}: victim {}, expected each of its {} spots at most once",
                                    what(), victim, spots.size()));
    }
    missing -= spot->resources;
  }
  if (missing.fits_in({})) return;
  throw ConfigError(fmt::format("{}: expected {} more vcpus, {} more memory_mb and {} more disk_gb",
                                what(), std::max(missing.vcpus, 0), std::max(missing.memory_mb, 0),
                                std::max(missing.disk_gb, 0)));
}

}  // namespace cospot
