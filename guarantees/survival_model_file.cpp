#include "guarantees/survival_model_file.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "guarantees/model_lines.hpp"

// models/azure2020_survival.txt, which the build puts into the program (cospot_embed).
extern "C" {
extern const char kCospotSurvivalModelBegin[];
extern const char kCospotSurvivalModelEnd[];
}

namespace cospot {

std::shared_ptr<const SurvivalModel> parse_survival_model(std::string_view text,
                                                          std::string_view name) {
  ModelLines lines(text, name);
  lines.require_version(kSurvivalModelMagic, "1", "survival model");
  SurvivalTable table{.flavors = lines.read_flavors(), .interval_ends = {}, .hazards = {}};
  const std::int64_t intervals = lines.whole(lines.keyed("intervals", 1)[0], 1,
                                             ModelLines::kMostLines, "the number of intervals");
  const std::size_t curves = table.flavors.size() + 1;
  table.hazards.resize(curves);
  for (std::int64_t i = 0; i < intervals; ++i) {
    lines.next("an interval");
    lines.require_count(
        curves + 1,
        fmt::format("{}: the end of an interval, in seconds, and the hazards of the flavors and of "
                    "any other",
                    curves + 1));
    table.interval_ends.push_back(lines.end_after(lines.words()[0], table.interval_ends));
    for (std::size_t curve = 0; curve < curves; ++curve) {
      table.hazards[curve].push_back(lines.number(lines.words()[curve + 1], 0, 1, "a hazard"));
    }
  }
  lines.require_end();
  return std::make_shared<const SurvivalModel>(std::move(table));
}

std::shared_ptr<const SurvivalModel> read_survival_model(const std::string& path) {
  return parse_survival_model(read_model_text(path), path);
}

std::shared_ptr<const SurvivalModel> built_in_survival_model() {
  static const std::shared_ptr<const SurvivalModel> model = parse_survival_model(
      {kCospotSurvivalModelBegin, kCospotSurvivalModelEnd}, "built-in survival model");
  return model;
}

}  // namespace cospot
