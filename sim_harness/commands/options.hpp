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
#include "sim_harness/experiments/grid/study_file.hpp"
#include "sim_harness/experiments/results/csv_sink.hpp"

namespace cospot {

// Options shared by several commands. The target of an option must outlive its command.

/// The option `--window-days`.
class WindowOption {
 public:
  void add_to(CLI::App& command);

  /// The given window; nothing without the option. Errors: ConfigError.
  [[nodiscard]] std::optional<SimTime> window() const;

  /// The option's part of the command recorded in a database: " --window-days 30", or "".
  [[nodiscard]] std::string text() const;

 private:
  std::optional<std::string> days_;
};

/// The option `--price`. Prices change the printed results, never a run.
class PriceOption {
 public:
  PriceOption() = default;
  /// Behaves as if these values had been given.
  explicit PriceOption(std::vector<std::string> texts) : texts_(std::move(texts)) {}

  CLI::Option* add_to(CLI::App& command);

  /// These prices, or without the option those of a study file.
  [[nodiscard]] PriceOption or_of(const StudyFile& file) const;

  /// Nothing without the option. Errors: ConfigError; WorkloadError in a table.
  [[nodiscard]] std::optional<PriceList> prices() const;

  /// The price of a vCPU-hour of a workload, per unit of its vcpus.
  [[nodiscard]] std::optional<VcpuHourPrices> of(const Workload& workload,
                                                 const WorkloadSpec& spec) const;

  /// The values as given; a table of prices is a file path.
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

  /// The option as text, for another command with the same prices; empty without it.
  [[nodiscard]] std::string as_arguments() const;

 private:
  std::vector<std::string> texts_;
};

/// The prices of a vCPU-hour, whole vCPUs; by flavor, the mean of what the workload requests.
/// Errors: ConfigError where `spec` has no requests (files of usage, logs of jobs, scenarios).
[[nodiscard]] VcpuHourPrices vcpu_hour_prices(const PriceList& list, const WorkloadSpec& spec);

/// The option `--timing`; by default, times are shown.
class TimingOption {
 public:
  void add_to(CLI::App& command, const std::string& help);
  [[nodiscard]] Timing timing() const { return text_ == "off" ? Timing::kOff : Timing::kOn; }

 private:
  std::string text_ = "on";
};

/// The default number of threads of a command.
[[nodiscard]] std::size_t threads_of_machine();

/// Adds `-j`, `--threads`.
CLI::Option* add_threads_option(CLI::App& command, std::size_t& threads, const std::string& help);

/// Adds `--seed`, with the bounds of sweep files and results databases; neither takes negative
/// seeds.
void add_seed_option(CLI::App& command, std::uint64_t& seed,
                     const std::string& help = "Random seed");

/// Adds `--set`; `help` contains examples.
void add_set_option(CLI::App& command, std::vector<std::string>& overrides,
                    const std::string& help);

/// Adds `--json`, for commands whose keys docs/json.md describes.
CLI::Option* add_json_flag(CLI::App& command, bool& json);

/// Adds `--schema`, the schema of the workload to write.
void add_schema_option(CLI::App& command, std::string& schema);

/// Adds `-o`, `--output`: a file, gzip-compressed if its name ends in .gz.
CLI::Option* add_output_option(CLI::App& command, std::string& output);

/// Checks that an option is a number from `least` to `most`. CLI::Range accepts NaN.
[[nodiscard]] CLI::Validator number_between(double least, double most);

}  // namespace cospot
