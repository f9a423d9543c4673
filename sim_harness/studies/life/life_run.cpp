#include "sim_harness/studies/life/life_run.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/engine/allocator.hpp"
#include "sim_harness/engine/life_engine.hpp"
#include "sim_harness/engine/prepared_evictor.hpp"
#include "sim_harness/engine/simulation_engine.hpp"
#include "sim_harness/engine/spot_forecasts.hpp"
#include "sim_harness/life/make_life_plan.hpp"

namespace cospot {

LifeResult run_life(const Workload& workload, const EventSchedule& schedule,
                    const RunSettings& settings, HostTable hosts, const LifeSettings& life,
                    LifeObserver* observer) {
  const auto start = std::chrono::steady_clock::now();
  Allocator allocator = make_allocator(settings, schedule.has_placements());
  allocator.evictor = prepared_evictor(allocator.evictor, workload, schedule);
  LifeResult result;
  if (life.is_off()) {
    SimulationEngine engine(schedule, std::move(hosts), allocator);
    engine.set_observer(observer);
    engine.run();
    result.run = engine.result();
  } else {
    const LifePlan plan = make_life_plan(life, workload, hosts);
    LifeEngine engine(schedule, std::move(hosts), allocator, plan);
    engine.set_observer(observer);
    engine.run();
    result = engine.result();
  }
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  result.run.wall_ms = took.count();
  return result;
}

void require_no_forecast(const ChainSpec& chain, const std::string& where) {
  if (!needs_spot_forecasts(chain)) return;
  throw ConfigError(fmt::format(
      "{}: {} needs a forecast of lifetimes or revocations, which runs with a life do not make; "
      "expected it in study compare, without 'life'",
      where, chain.label));
}

}  // namespace cospot
