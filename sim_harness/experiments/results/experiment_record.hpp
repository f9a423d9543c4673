#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim_harness/experiments/results/column.hpp"

namespace cospot {

/// The most runs of a study.
inline constexpr std::size_t kMostRuns = 100'000'000;

/// A results database's description of its experiment: one study file, all its runs.
struct ExperimentRecord {
  std::string study;          ///< `compare`, `degradation`, ...
  std::string configuration;  ///< JSON with every default written out
  std::size_t run_count = 0;  ///< of the whole experiment over all shards
  std::size_t group_count =
      0;                   ///< number of consecutive runs in a group; a shard contains whole groups
  std::string version;     ///< version of cospot that created the database
  std::string created_by;  ///< the command

  [[nodiscard]] std::string sha256() const;  ///< of the configuration's identity_of()

  friend bool operator==(const ExperimentRecord&, const ExperimentRecord&) = default;
};

/// An input of the runs: a workload, a trace. Identified by the SHA-256 of its bytes; a database
/// can only be resumed with the same inputs.
struct InputRecord {
  std::string label;
  std::string sha256;
  std::string name;
  /// Unit of a workload's vcpus (vcpus_unit_text), and its window if not the default one.
  std::string vcpus_unit{"1"};
  std::optional<double> window_days{};
  std::string key{};  ///< of the study file, if it names a file beside its workloads and traces

  friend bool operator==(const InputRecord&, const InputRecord&) = default;
};

/// A value of an axis.
struct AxisValue {
  Value value;                        ///< as in result rows
  std::string label;                  ///< as shown to people: `COS`, `2.5`, `true`
  std::string yaml;                   ///< as in a study file
  bool needs_true_lifetimes = false;  ///< a policy that cannot be deployed: an upper bound
};

/// An axis of an experiment's grid.
struct GridAxis {
  std::string name;  ///< its column
  std::string key;   ///< in the study file; differs from the column for `hosts`
  std::vector<AxisValue> values;
};

}  // namespace cospot
