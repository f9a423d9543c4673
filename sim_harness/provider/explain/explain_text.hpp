#pragma once

#include <string>

#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/provider/explain/explain.hpp"

namespace cospot {

enum class ExplainDetail : std::uint8_t {
  kBest,      ///< all hosts of a small datacenter; of a large one the best-ranked and the winner
  kAllHosts,  ///< all hosts, the dropped ones too
};

/// How many hosts kBest shows.
inline constexpr std::size_t kExplainedHosts = 40;

/// The explanation for people: the request, a row for each host, the planned evictions, and one
/// sentence on the outcome.
[[nodiscard]] std::string explanation_text(const Explanation& explanation, const Workload& workload,
                                           ExplainDetail detail = ExplainDetail::kBest,
                                           const VcpusUnit& unit = {});

/// Why the request gets its host, or none: one sentence.
[[nodiscard]] std::string explain_sentence(const Explanation& explanation,
                                           const SizeWords& words = {});

}  // namespace cospot
