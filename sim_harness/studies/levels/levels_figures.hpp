#pragma once

#include "sim_harness/experiments/money/study_money.hpp"

namespace cospot {

// What the study `levels` declares for its summary.

[[nodiscard]] const StudyFigures& levels_figures();
[[nodiscard]] const StudyMoney& levels_money();

}  // namespace cospot
