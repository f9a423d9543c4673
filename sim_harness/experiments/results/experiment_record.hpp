#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim_harness/experiments/results/column.hpp"

namespace cospot {

/// What a results database says of its experiment: one study file, all its runs.
struct ExperimentRecord {
  std::string study;          ///< `compare`, `degradation`, ...
  std::string configuration;  ///< JSON with every default written out
  std::size_t run_count = 0;  ///< of the whole experiment, all shards
  std::size_t group_count =
      0;                   ///< groups of as many consecutive runs each; a shard holds whole ones
  std::string version;     ///< of the cospot that created the database
  std::string created_by;  ///< the command

  [[nodiscard]] std::string sha256() const;  ///< of the configuration

  friend bool operator==(const ExperimentRecord&, const ExperimentRecord&) = default;
};

/// Something that the runs read: a workload, a trace. Its bytes are known by their SHA-256, and a
/// database is only resumed with the same ones.
struct InputRecord {
  std::string label;
  std::string sha256;
  std::string name;

  friend bool operator==(const InputRecord&, const InputRecord&) = default;
};

/// A value of an axis.
struct AxisValue {
  Value value;                        ///< as result rows have it
  std::string label;                  ///< as people read it: `COS`, `2.5`, `true`
  std::string yaml;                   ///< as a study file has it
  bool needs_true_lifetimes = false;  ///< a policy that nobody can run: an upper bound
};

/// An axis of an experiment's grid.
struct GridAxis {
  std::string name;  ///< its column
  std::string key;   ///< in the study file; another than the column for `hosts`
  std::vector<AxisValue> values;
};

}  // namespace cospot
