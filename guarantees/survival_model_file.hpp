#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "guarantees/survival_model.hpp"

namespace cospot {

/// The first word of a survival model's file.
inline constexpr std::string_view kSurvivalModelMagic = "cospot-survival-model";

/// Reads a model from the text of a file, whose format docs/lifetime-model.md describes. `name` is
/// what errors call it.
///
/// Errors: ConfigError `name:line: ...`, for anything missing, more than expected, no probability,
/// of another shape or of another version.
[[nodiscard]] std::shared_ptr<const SurvivalModel> parse_survival_model(std::string_view text,
                                                                        std::string_view name);

/// Reads a model file. Errors: ConfigError, also when it cannot be read.
[[nodiscard]] std::shared_ptr<const SurvivalModel> read_survival_model(const std::string& path);

/// The model that is built in, for the synthetic workload azure2020. Read when it is first asked
/// for, and shared.
[[nodiscard]] std::shared_ptr<const SurvivalModel> built_in_survival_model();

}  // namespace cospot
