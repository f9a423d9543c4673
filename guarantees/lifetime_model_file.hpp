#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "guarantees/lifetime_model.hpp"

namespace cospot {

/// Reads a model from the text of a file, whose format docs/lifetime-model.md describes. `name` is
/// what errors call it.
///
/// Errors: ConfigError `name:line: ...`, for anything missing, more than expected, not finite, of
/// another shape or of another version.
[[nodiscard]] std::shared_ptr<const LifetimeModel> parse_lifetime_model(std::string_view text,
                                                                        std::string_view name);

/// Reads a model file. Errors: ConfigError, also when it cannot be read.
[[nodiscard]] std::shared_ptr<const LifetimeModel> read_lifetime_model(const std::string& path);

/// The text of the model that is built in: for the synthetic workload azure2020.
[[nodiscard]] std::string_view built_in_lifetime_model_text();

/// That model. Read when it is first asked for, and shared.
[[nodiscard]] std::shared_ptr<const LifetimeModel> built_in_lifetime_model();

}  // namespace cospot
