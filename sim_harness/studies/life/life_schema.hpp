#pragma once

#include "sim_harness/experiments/results/experiment_record.hpp"
#include "sim_harness/experiments/results/measure.hpp"
#include "sim_harness/provider/run/life_result.hpp"

namespace cospot {

/// The axes of `compare` and `life`, and what a run with disruptions came to.
[[nodiscard]] const Schema& life_schema();

/// A run's values, in the order of life_schema().measures.
[[nodiscard]] std::vector<Value> life_measures(const LifeResult& result);

}  // namespace cospot
