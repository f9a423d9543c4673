#pragma once

#include "sim_harness/experiments/money/study_money.hpp"

namespace cospot {

/// What a comparison declares. Its summary is of the best combinations without VM loss.
[[nodiscard]] const StudyMoney& compare_money();

}  // namespace cospot
