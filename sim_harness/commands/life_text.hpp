#pragma once

#include <string>

#include "sim_harness/provider/disruptions/life_settings.hpp"
#include "sim_harness/provider/run/life_result.hpp"

namespace cospot {

/// What happened in a run in addition to its workload: the columns of the study `life` that tell of
/// it, without those that are 0.
[[nodiscard]] std::string life_text(const LifeResult& result);

/// All of them, by their names, and what was asked for.
[[nodiscard]] std::string life_result_json(const LifeSettings& life, const LifeResult& result);

}  // namespace cospot
