#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sim_harness/data/workloads/workload.hpp"

namespace cospot {

/// Reads a trace of a Eucalyptus cloud, plain or gzip: lines `START time id node cores` and `STOP
/// time id`, in order of time, in seconds since the start of the trace. Every instance becomes a VM
/// with its cores and no memory; the replaying scheduler chooses the node. An instance without STOP
/// never ends; an id may start again after its STOP. The window ends with the last line.
///
/// Errors: WorkloadError, `file:line: what is wrong and what was expected`: a malformed line, time
/// that goes backwards, a STOP without START, a START of a running instance, no cores.
///
/// Source: TRACE-README of the traces published by R. Wolski and J. Brevik
/// (https://www.cs.ucsb.edu/~rich/workload/).
[[nodiscard]] Workload read_eucalyptus_trace(const std::filesystem::path& path);

/// Parses a trace from its text. `name` identifies the file in errors.
[[nodiscard]] Workload parse_eucalyptus_trace(std::string_view text, std::string_view name);

/// The text of such a trace, which reads back as the same VMs. Contains only VMs and their cores.
[[nodiscard]] std::string eucalyptus_trace_text(const Workload& workload);

/// Tells whether a file is such a trace: whether its first line starts with START or STOP. Errors:
/// WorkloadError if it cannot be read.
[[nodiscard]] bool is_eucalyptus_trace(const std::filesystem::path& path);

}  // namespace cospot
