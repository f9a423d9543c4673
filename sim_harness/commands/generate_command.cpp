#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/options.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/data/workloads/synthetic_workload.hpp"
#include "sim_harness/data/workloads/window.hpp"
#include "sim_harness/data/workloads/workload_writer.hpp"

namespace cospot {
namespace {

/// The parsed options. The callback owns them, for as long as the app lives.
struct GenerateOptions {
  SyntheticSpec spec;
  std::string sampling = "batched";
  std::string output;
  std::string schema{kWorkloadSchemas[0].name};
  WindowOption window;
};

void generate(GenerateOptions options) {
  const WorkloadSchema schema = find_workload_schema(options.schema);  // before the work
  options.spec.sampling = parse_zone_sampling(options.sampling);
  const std::optional<SimTime> window = options.window.window();
  Workload workload = generate_workload(options.spec);
  state_window(workload, window);
  write_workload(workload, options.output, schema, kModelUnit);
  print(
      fmt::format("{}: {} requests of {}\n", options.output, workload.rows.size(), workload.name));
}

}  // namespace

void add_generate_command(CLI::App& workload) {
  CLI::App* command =
      workload.add_subcommand("generate", "Generate a synthetic workload like a real zone's");
  const auto options = std::make_shared<GenerateOptions>();
  command->add_option("MODEL", options->spec.model, "Model to follow: azure2020")->required();
  add_output_option(*command, options->output)->required();
  add_seed_option(*command, options->spec.seed);
  command
      ->add_option("--scale", options->spec.scale,
                   "Fraction of the zone, 0.0001 to 1 (about 5.2 million requests)")
      ->capture_default_str();
  command
      ->add_option("--sampling", options->sampling,
                   "batched: whole batches, with their bursts; bernoulli: single requests")
      ->capture_default_str();
  add_schema_option(*command, options->schema);
  options->window.add_to(*command);
  command->callback([options] { generate(*options); });
}

}  // namespace cospot
