#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/model/sim_time.hpp"
#include "sim_harness/data/workloads/workload.hpp"

namespace cospot {

/// What `--window-days` of a command says.
class WindowOption {
 public:
  /// Adds the option to a command. This object must live as long as the command.
  void add_to(CLI::App& command);

  /// The stated window; nothing when the option is not given. Errors: ConfigError.
  [[nodiscard]] std::optional<SimTime> window() const;

  /// What the command recorded in a database's provenance says of it: " --window-days 30", or "".
  [[nodiscard]] std::string text() const;

 private:
  std::optional<std::string> days_;
};

/// Prints each on a line of its own to the standard error.
void print_warnings(const std::vector<std::string>& warnings);

}  // namespace cospot
