#pragma once

#include <string>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "sim_harness/data/imports/import_table.hpp"
#include "sim_harness/data/workloads/vcpus_unit.hpp"

namespace cospot {

/// The capacity of a host for requests in this unit, rounded down.
[[nodiscard]] ResourceVector total_of(const ImportedHost& host, const VcpusUnit& unit);

/// The hosts as a file of hosts (docs/hosts-format.md), with vcpus in this unit.
[[nodiscard]] std::string hosts_csv(const std::vector<ImportedHost>& hosts, const VcpusUnit& unit);

/// The number of hosts that are up, per type, one line each, most frequent first; with the smallest
/// host of the type as a value of --host.
[[nodiscard]] std::string hosts_summary(const std::vector<ImportedHost>& hosts,
                                        const VcpusUnit& unit);

}  // namespace cospot
