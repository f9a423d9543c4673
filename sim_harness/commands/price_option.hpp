#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim_harness/data/prices/price_list.hpp"
#include "sim_harness/data/workloads/load_workload.hpp"

namespace cospot {

/// What `--price` of a command says. Prices change what people read, never a run.
class PriceOption {
 public:
  /// Adds the option to a command. This object must live as long as the command.
  CLI::Option* add_to(CLI::App& command);

  /// Nothing when the option is not given. The first call warns of prices that are unlikely to be
  /// meant. Errors: ConfigError, WorkloadError of a table.
  [[nodiscard]] std::optional<PriceList> prices() const;

  /// What a vCPU-hour of a workload costs, in vcpus as it has them.
  [[nodiscard]] std::optional<VcpuHourPrices> of(const Workload& workload,
                                                 const WorkloadSpec& spec) const;

  /// The values as given; a table of prices is a file's path.
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  mutable bool is_questioned_ = false;
};

}  // namespace cospot
