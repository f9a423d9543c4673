#include "evictors/lifetime_evictor.hpp"

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "core/model/sim_time.hpp"
#include "core/policy/plugin.hpp"
#include "evictors/placement_order_walk.hpp"
#include "evictors/search/eviction_search.hpp"
#include "guarantees/predictor_file.hpp"

namespace cospot {
namespace {

/// Bounds what a sum of days in microseconds may reach, far beyond any workload.
constexpr double kMaxDay = 100'000;

/// Reads an option that gives a day, counted from the start of the window. Errors: ConfigError.
SimTime read_day(const PluginOptions& options, std::string_view policy, const char* key,
                 double fallback) {
  const double day = options.read_number(key, fallback);
  if (!(std::abs(day) <= kMaxDay)) {
    throw ConfigError(std::string(policy) + ": option '" + key +
                      "' must be a day from -100000 to 100000, not " + std::to_string(day));
  }
  return SimTime(std::llround(day * static_cast<double>(kDay.count())));
}

}  // namespace

template <KnownLifetimes kLifetimes>
LifetimeEvictor<kLifetimes>::LifetimeEvictor(const PluginOptions& options)
    : from_(read_day(options, kInfo.name, "from_day", 3)),
      horizon_(read_day(options, kInfo.name, "horizon_day", kDefaultHorizonDay)),
      lookahead_(read_day(options, kInfo.name, "lookahead_days", 0)) {
  const bool has_horizon = !std::isnan(options.read_number("horizon_day", std::nan("")));
  if (lookahead_ > SimTime(0)) {
    horizon_ = SimTime::min();  // a running cloud has no last day
  } else {
    lookahead_ = has_horizon ? SimTime(0) : kLeastLookaheadDays * kDay;
  }
  predictor_ = read_predictor(kLifetimes,
                              kInfo.needs_lifetime_model() ? options.read_string("model", "") : "");
  options.reject_unknown();
}

template <KnownLifetimes kLifetimes>
bool LifetimeEvictor<kLifetimes>::make_plan(const EvictionCase& eviction, double score_limit,
                                            EvictionPlan& plan) const {
  if (eviction.now < from_) {
    return plan_in_placement_order(eviction, WalkFrom::kOldest, score_limit, plan);
  }
  // Kept for the thread, so that a plan allocates nothing in the long run.
  thread_local std::vector<SimTime> remaining;
  thread_local std::vector<EvictionItem> items;
  remaining.resize(eviction.spots.size());
  predictor_->predict(eviction.spots, eviction.now, counted_to(eviction.now), remaining);
  items.clear();
  for (std::size_t i = 0; i < eviction.spots.size(); ++i) {
    const ResourceVector& resources = eviction.spots[i].resources;
    items.push_back({.cost = revenue_lost(resources.vcpus, remaining[i], eviction.spots.size()),
                     .frees = resources});
  }
  return plan_least_revenue_lost(items, eviction.shortfall, score_limit, plan);
}

template <KnownLifetimes kLifetimes>
std::unique_ptr<const Evictor> LifetimeEvictor<kLifetimes>::prepared_for(
    const ReadTraits& read_traits) const {
  std::shared_ptr<const LifetimePredictor> predictor = predictor_->prepared_for(read_traits);
  if (predictor == nullptr) return nullptr;
  return std::make_unique<LifetimeEvictor>(std::move(predictor), from_, horizon_, lookahead_);
}

template class LifetimeEvictor<KnownLifetimes::kTrue>;
template class LifetimeEvictor<KnownLifetimes::kPredicted>;
template class LifetimeEvictor<KnownLifetimes::kSurvival>;

}  // namespace cospot
