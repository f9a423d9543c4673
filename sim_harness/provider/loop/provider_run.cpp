#include "sim_harness/provider/loop/provider_run.hpp"

#include <chrono>
#include <utility>

#include "sim_harness/provider/disruptions/make_life_plan.hpp"
#include "sim_harness/provider/forecasts/spot_forecasts.hpp"
#include "sim_harness/provider/run/allocator.hpp"
#include "sim_harness/provider/run/prepared_evictor.hpp"

namespace cospot {

ProviderRun::ProviderRun(const Workload& workload, const EventSchedule& schedule,
                         const RunSettings& settings, HostTable hosts, ProviderParts parts)
    : parts_(std::move(parts)) {
  const auto start = std::chrono::steady_clock::now();
  Allocator allocator = make_allocator(settings, schedule.has_placements());
  if (allocator.evictor != nullptr) {
    allocator.evictor = prepared_evictor(allocator.evictor, workload, schedule);
  }
  SimulationParts simulated{.level_of = parts_.level_of,
                            .loose = parts_.loose,
                            .reserve = parts_.reserve,
                            .keeps_days = parts_.keeps_days};
  if (!parts_.life.is_off()) {
    plan_ = make_life_plan(parts_.life, workload, hosts);
    simulated.plan = &plan_;
  }
  if (parts_.schedulers) {
    simulated.schedulers = &*parts_.schedulers;
    if (parts_.schedulers->deal == DealRule::kByTenant) tenants_ = tenant_numbers(workload);
    simulated.tenant_of = tenants_;
  }
  engine_ = std::make_unique<SimulationEngine>(schedule, std::move(hosts), allocator, simulated);
  std::vector<std::unique_ptr<ForecastOwner>> owners;
  owners.push_back(make_spot_forecasts(schedule, engine_->hosts(), settings.spot));
  for (auto& owner : parts_.forecasts) owners.push_back(std::move(owner));
  forecasts_ = combine_forecasts(std::move(owners));
  engine_->set_forecasts(forecasts_.get());
  engine_->set_observer(parts_.observer.get());
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  wall_ms_ = took.count();
}

void ProviderRun::run() {
  const auto start = std::chrono::steady_clock::now();
  engine_->run();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  wall_ms_ += took.count();
}

ForecastRefreshes ProviderRun::refreshes() const {
  return forecasts_ ? forecasts_->refreshes() : ForecastRefreshes{};
}

LifeResult ProviderRun::result() const {
  LifeResult result = engine_->life_result();
  result.run.wall_ms = wall_ms_;
  return result;
}

}  // namespace cospot
