#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"
#include "guarantees/sla/lifetime_quantiles.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/studies/sla/sla_settings.hpp"

namespace cospot {

/// What a spot of one size can be told: with each probability it lives at least so long.
struct SizeQuote {
  ResourceVector size;
  std::int64_t slots = 0;            ///< how many fit now
  std::vector<SimTime> lifetimes{};  ///< for each of SlaQuotes::evicted; kNoPromise: none
  std::vector<SimTime> supported{};  ///< the same, no longer than the history supports (Evidence)
};

/// Quotes at one time of a run.
struct SlaQuotes {
  SimTime at{0};
  std::string simulated{};      ///< a line: on which hosts and by which policies
  VcpusUnit unit{};             ///< of sizes
  std::vector<double> evicted;  ///< probabilities of eviction, as the study file's targets
  SimTime spot_delay{0};        ///< by which spots were asked for later than their file says
  std::size_t spots = 0;        ///< spots that had started by then
  std::size_t evictions = 0;    ///< of them
  std::vector<SizeQuote> sizes{};
  LifetimeQuantiles quantiles{};  ///< behind them, for every number of slots
};

/// Simulates the first run of a study file up to `at` (nothing: to the end of its on-demand
/// requests) and estimates how long spots live from what happened before. The first target decides
/// what is admitted until then. `threads` share the sizes.
///
/// Errors: ConfigError when no target is a probability, `at` is not after the start or lies beyond
/// the data, or hosts and requests seem to count in other units.
[[nodiscard]] SlaQuotes quote_lifetimes(const SlaSettings& settings, std::optional<SimTime> at,
                                        std::size_t threads);

[[nodiscard]] std::string quotes_text(const SlaQuotes& quotes);

/// With the whole tables: for each size, by slots, the samples and the quantiles.
[[nodiscard]] Json quotes_json(const SlaQuotes& quotes);

}  // namespace cospot
