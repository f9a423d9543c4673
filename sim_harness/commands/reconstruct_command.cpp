#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "core/parse_number.hpp"
#include "sim_harness/base/files/stored_stream.hpp"
#include "sim_harness/base/text/plain_text.hpp"
#include "sim_harness/commands/commands.hpp"
#include "sim_harness/commands/options.hpp"
#include "sim_harness/commands/print.hpp"
#include "sim_harness/data/reconstruction/recovered_sizes.hpp"
#include "sim_harness/data/reconstruction/recovered_workload.hpp"
#include "sim_harness/data/traces/packing_trace.hpp"
#include "sim_harness/data/workloads/workload_stream.hpp"
#include "sim_harness/data/workloads/workload_writer.hpp"

namespace cospot {
namespace {

/// The parsed options. The callback owns them, for as long as the app lives.
struct ReconstructOptions {
  std::string trace;
  std::string types;
  std::string output;
  std::string sizes;
  std::string schema{kWorkloadSchemas[0].name};
  std::vector<std::string> machine_types;
  std::vector<std::string> host_cores;
  std::vector<std::string> host_memory;
  double tolerance = RecoveryOptions{}.tolerance;
};

std::vector<std::int64_t> parse_machine_types(const std::vector<std::string>& texts) {
  std::vector<std::int64_t> machines;
  for (const std::string& text : texts) {
    const auto machine = parse_integer<std::int64_t>(text);
    if (!machine) {
      throw ConfigError(fmt::format(
          "--machines: found {}, expected machine types as whole numbers with commas between",
          quoted_excerpt(text)));
    }
    machines.push_back(*machine);
  }
  return machines;
}

std::map<std::int64_t, std::int64_t> parse_totals(std::string_view option,
                                                  const std::vector<std::string>& texts) {
  std::map<std::int64_t, std::int64_t> totals;
  for (const std::string& text : texts) {
    const std::string_view all(text);
    const std::size_t equals = std::min(all.find('='), all.size());
    const auto machine = parse_integer<std::int64_t>(all.substr(0, equals));
    const auto total =
        equals == all.size() ? std::nullopt : parse_integer<std::int64_t>(all.substr(equals + 1));
    if (!machine || !total || *total < 1 || *total > kMaxResourceAmount) {
      throw ConfigError(fmt::format(
          "{}: found {}, expected MACHINE=TOTAL, a machine type and a whole number from 1 to {}",
          option, quoted_excerpt(text), kMaxResourceAmount));
    }
    if (!totals.emplace(*machine, *total).second) {
      throw ConfigError(fmt::format("{}: machine type {} comes twice", option, *machine));
    }
  }
  return totals;
}

RecoveryOptions parse_recovery_options(const ReconstructOptions& options) {
  constexpr double kMostTolerance = 0.01;
  // Written so that NaN fails it.
  if (!(options.tolerance >= 0 && options.tolerance <= kMostTolerance)) {
    throw ConfigError(fmt::format("--tolerance is {}, expected a number from 0 to {}",
                                  options.tolerance, kMostTolerance));
  }
  return {.machine_types = parse_machine_types(options.machine_types),
          .host_vcpus = parse_totals("--host-cores", options.host_cores),
          .host_memory = parse_totals("--host-memory", options.host_memory),
          .tolerance = options.tolerance};
}

/// Beside the workload: `zone.csv.gz` has its sizes in `zone.sizes.csv`.
std::filesystem::path default_sizes_file(const std::filesystem::path& output) {
  std::filesystem::path name = output.filename();
  for (const char* extension : {".gz", ".csv"}) {
    if (name.extension() == extension) name = name.stem();
  }
  return output.parent_path() / (name.string() + ".sizes.csv");
}

void check_files(const ReconstructOptions& options, const std::filesystem::path& sizes_file) {
  for (const std::string& input : {options.trace, options.types}) {
    for (const std::filesystem::path& output :
         {std::filesystem::path(options.output), sizes_file}) {
      std::error_code ignored;
      if (!input.empty() && std::filesystem::equivalent(input, output, ignored)) {
        throw ConfigError(fmt::format("{} would be overwritten, expected another file to write",
                                      output.string()));
      }
    }
  }
  if (std::filesystem::path(options.output) == sizes_file) {
    throw ConfigError(
        fmt::format("{} is both the workload and the table of sizes, expected two "
                    "files",
                    options.output));
  }
}

void reconstruct(const ReconstructOptions& options) {
  const WorkloadSchema schema = find_workload_schema(options.schema);  // before the work
  const RecoveryOptions recovery = parse_recovery_options(options);
  const std::filesystem::path sizes_file = options.sizes.empty()
                                               ? default_sizes_file(options.output)
                                               : std::filesystem::path(options.sizes);
  check_files(options, sizes_file);

  const auto trace = open_packing_trace(options.trace, options.types);
  const std::vector<TypeShare> shares = trace->read_shares();
  const auto requests = trace->count_requests();
  const RecoveredSizes sizes = recover_sizes(shares, requests, recovery);
  WorkloadStream workload(options.output, schema);
  write_recovered_workload(*trace, sizes, requests, workload);
  StoredStream table(sizes_file);
  table.write(recovered_sizes_csv(sizes));
  table.commit();
  workload.commit();

  std::uint64_t total = 0;
  for (const auto& [type, count] : requests) total += count;
  print(fmt::format("{}: {} of {} requests ({:.2f} %)\n{}: all sizes\n{}", options.output,
                    workload.rows(), total,
                    100.0 * static_cast<double>(workload.rows()) / static_cast<double>(total),
                    sizes_file.string(), recovered_sizes_text(sizes)));
}

}  // namespace

void add_reconstruct_command(CLI::App& workload) {
  CLI::App* command = workload.add_subcommand(
      "reconstruct", "Recover whole sizes from an Azure packing trace, and write its workload");
  const auto options = std::make_shared<ReconstructOptions>();
  command
      ->add_option("TRACE", options->trace,
                   "SQLite file with the tables vm and vmType, or the table vm as CSV")
      ->required();
  add_output_option(*command, options->output)->required();
  command->add_option("--types", options->types, "The table vmType as CSV, when TRACE is CSV");
  command->add_option("--sizes", options->sizes,
                      "Table of sizes to write (default: the workload's name with .sizes.csv)");
  command->add_option("--machines", options->machine_types, "Machine types to use (default: all)")
      ->delimiter(',');
  command
      ->add_option("--host-cores", options->host_cores,
                   "Cores of a machine type, which set the scale of its group")
      ->delimiter(',');
  command
      ->add_option("--host-memory", options->host_memory,
                   "Memory of a machine type, which sets the scale of its group")
      ->delimiter(',');
  command
      ->add_option("--tolerance", options->tolerance,
                   "Relative rounding error of the trace's fractions")
      ->capture_default_str();
  add_schema_option(*command, options->schema);
  command->callback([options] { reconstruct(*options); });
}

}  // namespace cospot
