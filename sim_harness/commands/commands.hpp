#pragma once

#include <string>

#include "sim_harness/studies/study.hpp"

namespace CLI {
class App;
}

namespace cospot {

class PolicyLoader;

// The commands of the program `cospot`, a function for each group of them. They run inside
// app.parse(), print to standard output and throw the types of core/errors.hpp. Loaders, registries
// and exit codes live as long as the app; `exit_code` is set when a command ends in another way
// than done.

/// What the commands on results need from the program.
struct CompareCommandContext {
  const StudyRegistry* studies = nullptr;
  PolicyLoader* policies = nullptr;  ///< finds those that are in no registry
  int* exit_code = nullptr;          ///< 130 when a comparison was interrupted
};

/// `compare`, `merge` and `summary`.
void add_compare_commands(CLI::App& app, const CompareCommandContext& context);

/// `run`: one scenario, its event log, the explanation of one decision.
void add_run_command(CLI::App& app, PolicyLoader& loader, const StudyRegistry& studies);
/// `size`: the hosts that just fit a workload's VMs.
void add_size_command(CLI::App& app, PolicyLoader& loader);

/// `broker run` and `broker recommend`.
void add_broker_commands(CLI::App& app, PolicyLoader& loader);

/// `workload` with `info`, `sample` and `convert`. Returns the `workload` command, to which the
/// next four add.
CLI::App* add_workload_commands(CLI::App& app);
void add_generate_command(CLI::App& workload);
void add_import_command(CLI::App& workload);
void add_reconstruct_command(CLI::App& workload);
void add_fetch_command(CLI::App& workload);

/// `lifetime`: `spots` writes what there is to learn from, `train` makes a model for LPML or
/// LPKM, `eval` tells how good one is. The last two run Python and set `exit_code` to its own.
void add_lifetime_commands(CLI::App& app, int& exit_code);

/// `economy`: `plan` says how much unused capacity can be promised from now on, `backtest` what
/// promises made in the past would have come to, `tasks` writes what another program is to
/// forecast.
void add_economy_commands(CLI::App& app);

void add_list_command(CLI::App& app, const StudyRegistry& studies);
// `cospot completion SHELL` and `cospot man`, which know all commands of `app`.
void add_completion_command(CLI::App& app);
void add_man_command(CLI::App& app);
void add_report_command(CLI::App& app, const StudyRegistry& studies);
void add_tune_command(CLI::App& app, PolicyLoader& loader);
void add_plan_command(CLI::App& app, PolicyLoader& loader);

/// `sla`: `quote` says how long spots will live, `stand-in` writes a trace to try it on.
void add_sla_commands(CLI::App& app, PolicyLoader& loader);

void add_classes_command(CLI::App& app, PolicyLoader& loader);

/// `signals`: what customers may be told of spots, scored on held-out time.
void add_signals_command(CLI::App& app, PolicyLoader& loader);

/// What `list` prints: what can be named in a sweep file, one row each: name, summary, source.
/// `kind` is filters, weighers, evictors, studies, models or schemes (of names that stand in no
/// registry); empty: all of them, each under its heading.
///
/// Errors: ConfigError with the valid kinds.
[[nodiscard]] std::string list_text(const std::string& kind,
                                    const StudyRegistry& studies = built_in_studies());

/// The same as JSON, with the columns of every study; docs/json.md describes its keys.
[[nodiscard]] Json list_json(const std::string& kind,
                             const StudyRegistry& studies = built_in_studies());

}  // namespace cospot
