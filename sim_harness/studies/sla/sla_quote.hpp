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
#include "sim_harness/studies/provider/provider_study.hpp"

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
  std::string simulated{};            ///< a line with the hosts and the policies
  VcpusUnit unit{};                   ///< of sizes
  std::optional<double> admission{};  ///< the target that admitted spots; nothing: all that fit
  std::vector<double> evicted;        ///< probabilities of eviction: the study file's targets
  SimTime spot_delay{0};              ///< delay added to the spots' request times
  std::size_t spots = 0;              ///< spots that had started by then
  std::size_t evictions = 0;          ///< of those spots
  std::vector<SizeQuote> sizes{};
  std::vector<std::string> warnings{};  ///< what makes the quotes doubtful
  LifetimeQuantiles quantiles{};        ///< the underlying quantiles, for every number of slots
};

/// A file whose first run is simulated for quotes: its requests, hosts, policies and parts.
struct QuotedStudy {
  ProviderStudy study;
  ProviderStudySettings settings;
};

/// A file of the study `sla`, or one with one setting of another study of a provider's datacenter,
/// such as `cospot plan -o` writes; the latter gets the kQuoteKeys that it does not state.
///
/// Errors: ConfigError, also for several settings.
[[nodiscard]] QuotedStudy read_quoted_study(StudyFile file);

/// The keys of the promise that a quote of a workload, or of a file without promises, adds, as
/// YAML. The first target decides on admissions, as in every run of a study: none.
inline constexpr std::string_view kQuoteKeys =
    "target: [none, 0.25, 0.1, 0.05, 0.01]\ncensored: survival\ncondition_width: 0.1\n"
    "samples: 10000\n";

/// Simulates the first run up to `at` (nothing: to the end of the requests) and estimates spot
/// lifetimes from what happened before it: requests that start later are left out, as if the file
/// ended there. `threads` process the sizes in parallel.
///
/// Errors: ConfigError if no target is a probability, no spot was requested, `at` is not after the
/// start or lies beyond the data, or if hosts and requests seem to use different units.
[[nodiscard]] SlaQuotes quote_lifetimes(const QuotedStudy& quoted, std::optional<SimTime> at,
                                        std::size_t threads);

[[nodiscard]] std::string quotes_text(const SlaQuotes& quotes);

/// Includes the full tables: for each size and number of slots, the samples and the quantiles.
[[nodiscard]] Json quotes_json(const SlaQuotes& quotes);

}  // namespace cospot
