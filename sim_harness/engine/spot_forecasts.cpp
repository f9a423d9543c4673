#include "sim_harness/engine/spot_forecasts.hpp"

#include <algorithm>
#include <utility>

#include "sim_harness/engine/lifetime_forecast.hpp"
#include "sim_harness/engine/revocation_forecast.hpp"

namespace cospot {
namespace {

/// Lifetimes and revocations in one run. What spots ask for is what the lifetimes' owner says.
class BothForecasts final : public ForecastOwner {
 public:
  BothForecasts(std::unique_ptr<LifetimeForecast> lifetimes,
                std::unique_ptr<RevocationForecast> revocations)
      : lifetimes_(std::move(lifetimes)), revocations_(std::move(revocations)) {
    merge();
  }

  [[nodiscard]] SimTime next_refresh() const override {
    return std::min(lifetimes_->next_refresh(), revocations_->next_refresh());
  }
  void refresh() override {
    const SimTime now = next_refresh();
    if (lifetimes_->next_refresh() == now) lifetimes_->refresh();
    if (revocations_->next_refresh() == now) revocations_->refresh();
    merge();
  }
  [[nodiscard]] const Forecasts& forecasts() const override { return forecasts_; }
  [[nodiscard]] SimTime asked_lifetime(const Request& spot, SimTime end) const override {
    return lifetimes_->asked_lifetime(spot, end);
  }

  void evicted(InstanceIndex victim, HostIndex host, const Request& for_vm) override {
    lifetimes_->evicted(victim, host, for_vm);
    revocations_->evicted(victim, host, for_vm);
  }
  void placed(const Request& request, HostIndex host) override {
    lifetimes_->placed(request, host);
    revocations_->placed(request, host);
  }
  void rejected(const Request& request) override {
    lifetimes_->rejected(request);
    revocations_->rejected(request);
  }
  void departed(InstanceIndex instance, HostIndex host, SimTime time) override {
    lifetimes_->departed(instance, host, time);
    revocations_->departed(instance, host, time);
  }

 private:
  void merge() {
    forecasts_ = lifetimes_->forecasts();
    forecasts_.revocations = revocations_->forecasts().revocations;
  }

  std::unique_ptr<LifetimeForecast> lifetimes_;
  std::unique_ptr<RevocationForecast> revocations_;
  Forecasts forecasts_;
};

}  // namespace

std::unique_ptr<ForecastOwner> make_spot_forecasts(const EventSchedule& schedule,
                                                   const HostTable& hosts, const ChainSpec& spot) {
  auto lifetimes = make_lifetime_forecast(schedule, hosts, spot);
  auto revocations = make_revocation_forecast(schedule, hosts.size(), spot);
  if (revocations == nullptr) return lifetimes;
  if (lifetimes == nullptr) return revocations;
  return std::make_unique<BothForecasts>(std::move(lifetimes), std::move(revocations));
}

bool needs_spot_forecasts(const ChainSpec& spot) {
  return needs_lifetime_forecast(spot) || needs_revocation_forecast(spot);
}

}  // namespace cospot
