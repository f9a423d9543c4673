#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/handshake/offer_rule.hpp"
#include "sim_harness/provider/run/run_result.hpp"

namespace cospot {

/// One run of a sweep as the results database keeps it (docs/results-format.md): where it is in
/// the grid, what came out, and what it takes to repeat it.
struct ResultRow {
  std::size_t run_index = 0;               ///< position in grid order
  std::string workload;                    ///< its label
  std::optional<double> headroom_percent;  ///< none when the sweep gives host counts
  std::string vm;                          ///< labels of the policies
  std::string spot;
  std::string evictor;
  bool saf = false;
  OfferRule otn{};
  RunResult result;
  std::string workload_sha256;
  std::string configuration;  ///< run_json
  std::string version;        ///< of cospot
  std::uint64_t seed = 0;     ///< of a synthetic workload, else 0
};

}  // namespace cospot
