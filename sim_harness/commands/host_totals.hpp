#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/resource_vector.hpp"
#include "sim_harness/data/hosts/host_mix.hpp"

namespace cospot {

/// Parses the capacity of one host, `VCPUS,MEMORY_MB` or `VCPUS,MEMORY_MB,DISK_GB`, such as
/// "10400,2250". Errors: ConfigError that names the option, the faulty part and the valid range.
[[nodiscard]] ResourceVector parse_host_totals(std::string_view text);

/// Parses the hosts: the capacity of identical hosts (as above), a file of hosts
/// (docs/hosts-format.md), or a list of types as in a sweep file. Errors: ConfigError, InputError.
[[nodiscard]] HostMix parse_hosts_option(std::string_view text);

/// The options that describe a whole datacenter: --host, --hosts and --headroom-percent.
class DatacenterOptions {
 public:
  /// The hosts of --host, and their number if given.
  struct Given {
    std::string host;
    std::optional<std::size_t> count{};
  };

  void add_to(CLI::App& command);
  [[nodiscard]] bool names_hosts() const { return !host_.empty() || !hosts_.empty(); }
  /// --hosts is either the number of hosts that --host describes or a file of hosts. Errors:
  /// ConfigError if both are missing, or do not fit together or to a headroom.
  [[nodiscard]] Given given() const;
  [[nodiscard]] std::optional<double> headroom_percent() const { return headroom_percent_; }
  /// The options given, as " --hosts 40 --host 64,262144" for a command that repeats this one.
  [[nodiscard]] std::string as_arguments() const;

 private:
  std::string host_;
  std::string hosts_;
  std::optional<double> headroom_percent_;
};

}  // namespace cospot
