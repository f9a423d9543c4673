#include "guarantees/predictor_file.hpp"

#include "guarantees/learned_predictor.hpp"
#include "guarantees/lifetime_model_file.hpp"
#include "guarantees/model_lines.hpp"
#include "guarantees/survival_model.hpp"
#include "guarantees/survival_model_file.hpp"

namespace cospot {

KnownLifetimes model_kind(const std::string& path) {
  const std::string text = read_model_text(path);
  return text.starts_with(kSurvivalModelMagic) ? KnownLifetimes::kSurvival
                                               : KnownLifetimes::kPredicted;
}

std::shared_ptr<const LifetimePredictor> read_predictor(KnownLifetimes kind,
                                                        const std::string& path) {
  if (kind == KnownLifetimes::kTrue) return std::make_shared<LifetimeOracle>();
  if (kind == KnownLifetimes::kSurvival) {
    return std::make_shared<SurvivalPredictor>(path.empty() ? built_in_survival_model()
                                                            : read_survival_model(path));
  }
  return std::make_shared<LearnedPredictor>(path.empty() ? built_in_lifetime_model()
                                                         : read_lifetime_model(path));
}

}  // namespace cospot
