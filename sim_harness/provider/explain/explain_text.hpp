#pragma once

#include <string>

#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/provider/explain/explain.hpp"

namespace cospot {

enum class ExplainDetail : std::uint8_t {
  kBest,      ///< all hosts of a small datacenter; otherwise the best-ranked hosts and the winner
  kAllHosts,  ///< all hosts, including the dropped ones
};

/// The number of hosts that kBest shows.
inline constexpr std::size_t kExplainedHosts = 40;

/// The explanation as text: the request, a row per host, the planned evictions, and one sentence on
/// the outcome.
[[nodiscard]] std::string explanation_text(const Explanation& explanation, const Workload& workload,
                                           ExplainDetail detail = ExplainDetail::kBest,
                                           const VcpusUnit& unit = {});

/// Explains in one sentence why the request gets its host, or none.
[[nodiscard]] std::string explain_sentence(const Explanation& explanation,
                                           const SizeWords& words = {});

}  // namespace cospot
