#pragma once

#include <functional>

#include "sim_harness/sweeps/compare.hpp"
#include "sim_harness/sweeps/policy_loader.hpp"

namespace CLI {
class App;
}

namespace cospot {

/// Makes what simulates a sweep: loads its workloads, finds their SHA-256.
using SweepRunnerFactory = std::function<SweepRunner(const Sweep&)>;

/// What the commands need from the program.
struct CompareCommandContext {
  SweepRunnerFactory make_runner;
  PolicyLoader* policies = nullptr;  ///< finds those that are in no registry
  int* exit_code = nullptr;          ///< set when a command ends in another way than done: 130
};

/// Registers `compare`, `merge` and `summary`. They run inside app.parse() and throw the types of
/// core/errors.hpp.
void add_compare_commands(CLI::App& app, const CompareCommandContext& context);

}  // namespace cospot
