#pragma once

#include <memory>
#include <string>

#include "core/policy/plugin.hpp"
#include "guarantees/lifetime_predictor.hpp"

namespace cospot {

/// The kind of model in a file, by its first word: kSurvival for a survival model, kPredicted for
/// anything else. Errors: ConfigError, when it cannot be read.
[[nodiscard]] KnownLifetimes model_kind(const std::string& path);

/// A predictor of this kind: kTrue knows the future, the others go by a model file, or by the model
/// that is built in where `path` is empty.
///
/// Errors: ConfigError for a file that cannot be read or is not such a model.
[[nodiscard]] std::shared_ptr<const LifetimePredictor> read_predictor(KnownLifetimes kind,
                                                                      const std::string& path);

}  // namespace cospot
