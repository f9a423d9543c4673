#pragma once

#include "sim_harness/provider/policies/policy_loader.hpp"
#include "sim_harness/studies/study.hpp"

namespace CLI {
class App;
}

namespace cospot {

/// What the commands need from the program.
struct CompareCommandContext {
  const StudyRegistry* studies = nullptr;
  PolicyLoader* policies = nullptr;  ///< finds those that are in no registry
  int* exit_code = nullptr;          ///< set when a command ends in another way than done: 130
};

/// Registers `compare`, `merge` and `summary`. They run inside app.parse() and throw the types of
/// core/errors.hpp.
void add_compare_commands(CLI::App& app, const CompareCommandContext& context);

}  // namespace cospot
