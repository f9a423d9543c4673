#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"
#include "guarantees/sla/lifetime_quantiles.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/studies/sla/sla_settings.hpp"

namespace cospot {

/// The quote for a spot of one size: the lifetime it reaches with each probability.
struct SizeQuote {
  ResourceVector size;
  std::int64_t slots = 0;            ///< number that fit now
  std::vector<SimTime> lifetimes{};  ///< for each of SlaQuotes::evicted; kNoPromise: none
  std::vector<SimTime> supported{};  ///< the same, capped at what the history supports (Evidence)
};

/// Quotes at one time of a run.
struct SlaQuotes {
  SimTime at{0};
  std::string simulated{};      ///< a line with the hosts and the policies
  VcpusUnit unit{};             ///< of sizes
  std::vector<double> evicted;  ///< probabilities of eviction: the study file's targets
  SimTime spot_delay{0};        ///< delay added to the spots' request times
  std::size_t spots = 0;        ///< spots that had started by then
  std::size_t evictions = 0;    ///< of those spots
  std::vector<SizeQuote> sizes{};
  std::vector<std::string> warnings{};  ///< what makes the quotes doubtful
  LifetimeQuantiles quantiles{};        ///< the underlying quantiles, for every number of slots
};

/// The settings of a file of the study `sla`; or of a comparison with one setting, such as
/// `cospot plan -o` writes: its requests, hosts and policies, with the promises of a quote for a
/// workload. Errors: ConfigError, also for a comparison with several settings.
[[nodiscard]] SlaSettings read_quote_settings(StudyFile file);
/// The keys of that study which a quote of a workload or of a comparison adds, as YAML.
inline constexpr std::string_view kQuoteKeys =
    "spot_workloads: same\ntarget: [0.25, 0.1, 0.05, 0.01]\ncensored: survival\n"
    "condition_width: 0.1\nsamples: 10000\n";

/// Simulates the first run of a study file up to `at` (nothing: to the end of its on-demand
/// requests) and estimates spot lifetimes from the events before it. Until then the first target
/// decides on admissions. `threads` process the sizes in parallel.
///
/// Errors: ConfigError if no target is a probability, if `at` is not after the start or lies beyond
/// the data, or if hosts and requests seem to use different units.
[[nodiscard]] SlaQuotes quote_lifetimes(const SlaSettings& settings, std::optional<SimTime> at,
                                        std::size_t threads);

[[nodiscard]] std::string quotes_text(const SlaQuotes& quotes);

/// Includes the full tables: for each size and number of slots, the samples and the quantiles.
[[nodiscard]] Json quotes_json(const SlaQuotes& quotes);

}  // namespace cospot
