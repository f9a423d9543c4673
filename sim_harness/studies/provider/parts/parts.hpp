#pragma once

#include "sim_harness/studies/provider/study_part.hpp"

namespace cospot {

// The entries of study_parts(), each with its preset, if it has one.

[[nodiscard]] StudyPart lifetime_target_part();
[[nodiscard]] StudyPart economy_part();
[[nodiscard]] StudyPart disruptions_part();
[[nodiscard]] StudyPart schedulers_part();
[[nodiscard]] StudyPart host_subset_part();
[[nodiscard]] StudyPart reserve_part();
[[nodiscard]] StudyPart signals_part();

}  // namespace cospot
