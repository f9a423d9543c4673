#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/sim_time.hpp"
#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"
#include "sim_harness/experiments/results/csv_sink.hpp"

namespace cospot {

// Options that several commands have. What an option sets must live as long as its command.

/// What `--window-days` of a command says.
class WindowOption {
 public:
  void add_to(CLI::App& command);

  /// The stated window; nothing when the option is not given. Errors: ConfigError.
  [[nodiscard]] std::optional<SimTime> window() const;

  /// What the command recorded in a database's provenance says of it: " --window-days 30", or "".
  [[nodiscard]] std::string text() const;

 private:
  std::optional<std::string> days_;
};

/// What `--price` of a command says. Prices change what people read, never a run.
class PriceOption {
 public:
  PriceOption() = default;
  /// As if these values had been given.
  explicit PriceOption(std::vector<std::string> texts) : texts_(std::move(texts)) {}

  CLI::Option* add_to(CLI::App& command);

  /// Nothing when the option is not given. Errors: ConfigError, WorkloadError of a table.
  [[nodiscard]] std::optional<PriceList> prices() const;

  /// What a vCPU-hour of a workload costs, in vcpus as it has them.
  [[nodiscard]] std::optional<VcpuHourPrices> of(const Workload& workload,
                                                 const WorkloadSpec& spec) const;

  /// The values as given; a table of prices is a file's path.
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

  /// The option again, for a command that is to have the same prices; empty: it is not given.
  [[nodiscard]] std::string as_arguments() const;

 private:
  std::vector<std::string> texts_;
};

/// What `--timing` of a command says: without it, times count.
class TimingOption {
 public:
  void add_to(CLI::App& command, const std::string& help);
  [[nodiscard]] Timing timing() const { return text_ == "off" ? Timing::kOff : Timing::kOn; }

 private:
  std::string text_ = "on";
};

/// How many threads a command uses unless it is told otherwise.
[[nodiscard]] std::size_t threads_of_machine();

/// Adds `-j`, `--threads`.
CLI::Option* add_threads_option(CLI::App& command, std::size_t& threads, const std::string& help);

/// Adds `--seed`, bounded as in sweep files and results databases, which refuses negative ones too.
void add_seed_option(CLI::App& command, std::uint64_t& seed,
                     const std::string& help = "Random seed");

/// `--signals FILE` of commands that run a customer's study: `--set signals=FILE`.
class SignalsFileOption {
 public:
  void add_to(CLI::App& command);
  /// Adds what it says to the assignments of --set, once all options are read.
  void add_override(std::vector<std::string>& overrides) const;

 private:
  std::string file_;
};

/// Adds `--set`; `help` has examples.
void add_set_option(CLI::App& command, std::vector<std::string>& overrides,
                    const std::string& help);

/// Adds `--json` for commands whose keys docs/json.md has.
CLI::Option* add_json_flag(CLI::App& command, bool& json);

/// Adds `--schema`, that of a workload to write.
void add_schema_option(CLI::App& command, std::string& schema);

/// Adds `-o`, `--output`: a file that is gzip-compressed if it ends in .gz.
CLI::Option* add_output_option(CLI::App& command, std::string& output);

/// Checks that an option is a number from `least` to `most`. CLI::Range lets NaN through, which
/// compares with nothing.
[[nodiscard]] CLI::Validator number_between(double least, double most);

}  // namespace cospot
