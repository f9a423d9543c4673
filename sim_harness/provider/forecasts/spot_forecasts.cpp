#include "sim_harness/provider/forecasts/spot_forecasts.hpp"

#include <algorithm>
#include <utility>

#include "sim_harness/provider/forecasts/lifetime_forecast.hpp"
#include "sim_harness/provider/forecasts/revocation_forecast.hpp"

namespace cospot {
namespace {

/// Several owners in one run. What spots ask for is what the one says that promises lifetimes, else
/// the first that knows it.
class CombinedForecasts final : public ForecastOwner {
 public:
  explicit CombinedForecasts(std::vector<std::unique_ptr<ForecastOwner>> owners)
      : owners_(std::move(owners)) {
    merge();
  }

  [[nodiscard]] SimTime next_refresh() const override {
    SimTime next = kNever;
    for (const auto& owner : owners_) next = std::min(next, owner->next_refresh());
    return next;
  }
  void refresh() override {
    const SimTime now = next_refresh();
    for (const auto& owner : owners_) {
      if (owner->next_refresh() == now) owner->refresh();
    }
    merge();
  }
  [[nodiscard]] const Forecasts& forecasts() const override { return forecasts_; }
  [[nodiscard]] SimTime asked_lifetime(const Request& spot, SimTime end) const override {
    for (const auto& owner : owners_) {
      if (owner->forecasts().lifetimes != nullptr) return owner->asked_lifetime(spot, end);
    }
    for (const auto& owner : owners_) {
      const SimTime asked = owner->asked_lifetime(spot, end);
      if (asked > SimTime{0}) return asked;
    }
    return SimTime{0};
  }

  [[nodiscard]] SimTime promised_until(const Request& spot) const override {
    SimTime until = kNoPromisedEnd;
    for (const auto& owner : owners_) until = std::max(until, owner->promised_until(spot));
    return until;
  }

  [[nodiscard]] ForecastRefreshes refreshes() const override {
    ForecastRefreshes all;
    for (const auto& owner : owners_) {
      const ForecastRefreshes of = owner->refreshes();
      all = {all.count + of.count, std::max(all.longest_ms, of.longest_ms)};
    }
    return all;
  }

  void evicted(InstanceIndex victim, HostIndex host, const Request& for_vm) override {
    for (const auto& owner : owners_) owner->evicted(victim, host, for_vm);
  }
  void placed(const Request& request, HostIndex host) override {
    for (const auto& owner : owners_) owner->placed(request, host);
  }
  void rejected(const Request& request) override {
    for (const auto& owner : owners_) owner->rejected(request);
  }
  void departed(InstanceIndex instance, HostIndex host, SimTime time) override {
    for (const auto& owner : owners_) owner->departed(instance, host, time);
  }

 private:
  void merge() {
    for (const auto& owner : owners_) {
      const Forecasts& of = owner->forecasts();
      if (of.lifetimes != nullptr) forecasts_.lifetimes = of.lifetimes;
      if (of.economy != nullptr) forecasts_.economy = of.economy;
      if (of.revocations != nullptr) forecasts_.revocations = of.revocations;
    }
  }

  std::vector<std::unique_ptr<ForecastOwner>> owners_;
  Forecasts forecasts_;
};

}  // namespace

std::unique_ptr<ForecastOwner> combine_forecasts(
    std::vector<std::unique_ptr<ForecastOwner>> owners) {
  std::erase(owners, nullptr);
  if (owners.empty()) return nullptr;
  if (owners.size() == 1) return std::move(owners.front());
  return std::make_unique<CombinedForecasts>(std::move(owners));
}

std::unique_ptr<ForecastOwner> make_spot_forecasts(const EventSchedule& schedule,
                                                   const HostTable& hosts, const ChainSpec& spot) {
  std::vector<std::unique_ptr<ForecastOwner>> owners;
  owners.push_back(make_lifetime_forecast(schedule, hosts, spot));
  owners.push_back(make_revocation_forecast(schedule, hosts.size(), spot));
  return combine_forecasts(std::move(owners));
}

bool needs_spot_forecasts(const ChainSpec& spot) {
  return needs_lifetime_forecast(spot) || needs_revocation_forecast(spot);
}

}  // namespace cospot
