#pragma once

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

}  // namespace cospot
