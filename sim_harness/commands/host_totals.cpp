#include "sim_harness/commands/host_totals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/errors.hpp"
#include "core/parse_number.hpp"
#include "sim_harness/base/configuration/yaml_reader.hpp"
#include "sim_harness/base/text/shell_word.hpp"
#include "sim_harness/commands/options.hpp"
#include "sim_harness/data/hosts/hosts_file.hpp"
#include "sim_harness/data/workloads/workload_fields.hpp"
#include "sim_harness/provider/sizing/headroom.hpp"
#include "sim_harness/studies/provider/provider_keys.hpp"

namespace cospot {

ResourceVector parse_host_totals(std::string_view text) {
  struct Part {
    std::string_view name;
    ResourceAmount least;
  };
  constexpr std::array<Part, 3> kParts{{{"VCPUS", 1}, {"MEMORY_MB", 1}, {"DISK_GB", 0}}};
  const auto count = static_cast<std::size_t>(1 + std::ranges::count(text, ','));
  if (count != 2 && count != 3) {
    throw ConfigError(
        fmt::format("--host {}: expected VCPUS,MEMORY_MB or VCPUS,MEMORY_MB,DISK_GB", text));
  }
  std::array<ResourceAmount, 3> amounts{};
  std::string_view rest = text;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    const std::optional<ResourceAmount> amount = parse_amount(part, kParts[i].least);
    if (!amount) {
      throw ConfigError(fmt::format("--host {}: {} is '{}', expected a whole number from {} to {}",
                                    text, kParts[i].name, part, kParts[i].least,
                                    kMaxResourceAmount));
    }
    amounts[i] = *amount;
  }
  return {.vcpus = amounts[0], .memory_mb = amounts[1], .disk_gb = amounts[2]};
}

HostMix parse_hosts_option(std::string_view text) {
  if (text.ends_with(".csv") || text.ends_with(".csv.gz")) return read_hosts_file(text);
  if (!text.starts_with('[')) return parse_host_totals(text);
  return read_hosts(parse_yaml(fmt::format("host: {}", text), fmt::format("--host {}", text)), {});
}

void DatacenterOptions::add_to(CLI::App& command) {
  command.add_option("--host", host_, "VCPUS,MEMORY_MB[,DISK_GB] of a host, or a hosts file (CSV)");
  command.add_option("--hosts", hosts_,
                     "Number of hosts of the kind that --host describes, or a hosts file (CSV)");
  command
      .add_option("--headroom-percent", headroom_percent_,
                  "Extra hosts beyond the minimum that holds all VMs, % (default: 2; with a hosts "
                  "file, all its hosts); not with a number of hosts")
      ->check(number_between(0, kMaxHeadroomPercent));
}

DatacenterOptions::Given DatacenterOptions::given() const {
  if (!names_hosts()) {
    throw ConfigError(
        "the hosts are missing; expected --hosts FILE.csv, or --host VCPUS,MEMORY_MB, with --hosts "
        "N or without, or a study file (YAML) that states them");
  }
  if (hosts_.empty()) return {host_};
  const std::optional<double> count = parse_number(hosts_);
  if (!count) {
    if (host_.empty()) return {hosts_};
    throw ConfigError("--hosts " + hosts_ + ": with --host, expected a number of hosts");
  }
  if (*count < 1 || *count > static_cast<double>(kMaxHosts) || *count != std::trunc(*count)) {
    throw ConfigError(
        fmt::format("--hosts {}: expected a whole number from 1 to {}, or a hosts "
                    "file (CSV)",
                    hosts_, kMaxHosts));
  }
  if (host_.empty()) {
    throw ConfigError("--hosts " + hosts_ +
                      ": of what? expected --host VCPUS,MEMORY_MB too, or a hosts file (CSV)");
  }
  if (headroom_percent_) {
    throw ConfigError("--hosts " + hosts_ +
                      " and --headroom-percent exclude each other; expected one of the two");
  }
  return {host_, static_cast<std::size_t>(*count)};
}

std::string DatacenterOptions::as_arguments() const {
  std::string text;
  Given hosts;
  if (names_hosts()) hosts = given();
  if (hosts.count) text += fmt::format(" --hosts {}", *hosts.count);
  if (!hosts.host.empty()) text += " --host " + shell_word(hosts.host);
  if (headroom_percent_) text += fmt::format(" --headroom-percent {}", *headroom_percent_);
  return text;
}

}  // namespace cospot
