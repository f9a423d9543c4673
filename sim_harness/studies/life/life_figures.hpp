#pragma once

#include "sim_harness/experiments/money/study_money.hpp"

namespace cospot {

// What the study `life` declares for its summary.

[[nodiscard]] const StudyFigures& life_figures();
[[nodiscard]] const StudyMoney& life_money();

}  // namespace cospot
