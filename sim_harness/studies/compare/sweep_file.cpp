#include "sim_harness/studies/compare/sweep_file.hpp"

#include <fmt/core.h>

#include <string_view>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/studies/compare/compare_schema.hpp"
#include "sim_harness/studies/provider/provider_axes.hpp"

namespace cospot {

ProviderSettings read_sweep(const StudyFile& file) {
  const ConfigNode& root = file.root;
  if (const ConfigNode* study = root.find("study"); study != nullptr && study->text != "compare") {
    throw_bad_value(*study, "study", "compare");
  }
  const ProviderStudy study(compare_preset(), root);
  if (study.has_further_parts()) {
    const std::string_view part = study.parts().front()->name();
    const ConfigNode* node = root.find(part);
    throw ConfigError(
        fmt::format("{}: found where policies alone are compared; expected the key in "
                    "a study file, or a scenario of 'cospot run'",
                    key_place(node == nullptr ? root : *node, part)));
  }
  return study.table().read(file);
}

ProviderSettings read_scenario(const StudyFile& file) {
  ProviderSettings sweep = read_sweep(file);
  require_one_run(file.root, provider_table().axes(sweep));
  return sweep;
}

}  // namespace cospot
