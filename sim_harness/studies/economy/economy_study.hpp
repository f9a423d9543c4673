#pragma once

#include "sim_harness/studies/study.hpp"

namespace cospot {

/// `economy`: how much unused capacity can be promised for months. Each run makes the promises of
/// all prediction cycles of a usage series and checks them against later usage. Axes: usage,
/// forecaster, confidence, price. Source: Carvalho et al., SoCC 2014, section 5.
[[nodiscard]] Study economy_study();

}  // namespace cospot
