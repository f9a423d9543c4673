#pragma once

#include <string>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "sim_harness/data/imports/import_table.hpp"
#include "sim_harness/data/workloads/vcpus_unit.hpp"

namespace cospot {

/// What requests in this unit may have of a host, rounded down.
[[nodiscard]] ResourceVector total_of(const ImportedHost& host, const VcpusUnit& unit);

/// The hosts as a file of hosts (docs/hosts-format.md), whose vcpus count in this unit.
[[nodiscard]] std::string hosts_csv(const std::vector<ImportedHost>& hosts, const VcpusUnit& unit);

/// How many hosts are up of each type, a line each, the most first; with the smallest of the type
/// as --host.
[[nodiscard]] std::string hosts_summary(const std::vector<ImportedHost>& hosts,
                                        const VcpusUnit& unit);

}  // namespace cospot
