#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/resource_vector.hpp"
#include "sim_harness/data/hosts/host_mix.hpp"

namespace cospot {

/// Reads what one host has, `VCPUS,MEMORY_MB` or `VCPUS,MEMORY_MB,DISK_GB`, such as "10400,2250".
/// Errors: ConfigError names the option, the part at fault and the valid range.
[[nodiscard]] ResourceVector parse_host_totals(std::string_view text);

/// Reads what the hosts are: what one of alike hosts has, as above, a file of hosts (docs/
/// hosts-format.md), or a list of types as in a sweep file. Errors: ConfigError, InputError.
[[nodiscard]] HostMix parse_hosts_option(std::string_view text);

/// What the option says as the value of a study's key `host`. Errors: as parse_hosts_option.
[[nodiscard]] std::string yaml_of_hosts_option(const std::string& text);

/// The options by which a command learns the hosts of a datacenter: --host, --hosts and
/// --headroom-percent.
class DatacenterOptions {
 public:
  /// What the hosts are, as of --host, and how many if that is said.
  struct Given {
    std::string host;
    std::optional<std::size_t> count{};
  };

  void add_to(CLI::App& command);
  /// --hosts is a number of the hosts that --host describes, or itself the file of hosts. Errors:
  /// ConfigError when they do not fit together.
  [[nodiscard]] Given given() const;
  [[nodiscard]] std::optional<double> headroom_percent() const { return headroom_percent_; }

 private:
  std::string host_;
  std::string hosts_;
  std::optional<double> headroom_percent_;
};

}  // namespace cospot
