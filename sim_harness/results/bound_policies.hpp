#pragma once

#include <map>
#include <string>
#include <tuple>

#include "sim_harness/results/result_row.hpp"
#include "sim_harness/sweeps/yaml_reader.hpp"

namespace cospot {

/// Tells whether a policy needs true lifetimes (true_lifetimes.hpp) as sweep_json and run_json
/// write it: the chain under `vm` or `spot`, or the evictor.
[[nodiscard]] bool chain_needs_true_lifetimes(const ConfigNode& chain);
[[nodiscard]] bool evictor_needs_true_lifetimes(const ConfigNode& evictor);

/// Tells which runs of one sweep are upper bounds, because a policy in them needs true lifetimes:
/// by the names in their configuration; of a run without one, by its labels.
class BoundPolicies {
 public:
  [[nodiscard]] bool is_bound(const ResultRow& row);

 private:
  /// By the labels of the VM chain, the spot chain and the evictor: a sweep has few of them, and no
  /// label stands for two policies.
  std::map<std::tuple<std::string, std::string, std::string>, bool> known_;
};

}  // namespace cospot
