#pragma once

#include "sim_harness/experiments/money/study_money.hpp"

namespace cospot {

// What the study `schedulers` declares for its summary.

[[nodiscard]] const StudyFigures& schedulers_figures();
[[nodiscard]] const StudyMoney& schedulers_money();

}  // namespace cospot
