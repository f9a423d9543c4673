#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim_harness/data/traces/packing_trace.hpp"

namespace cospot {

/// A value of a trace as stored; monostate: NULL, or an empty CSV field.
using TraceValue = std::variant<std::monostate, std::int64_t, double, std::string_view>;

/// The columns to read, in the order in which the readers below take their values. Tables may have
/// more.
inline constexpr std::array<std::string_view, 6> kRequestColumns{
    "vmId", "tenantId", "vmTypeId", "priority", "starttime", "endtime"};
inline constexpr std::array<std::string_view, 4> kShareColumns{"vmTypeId", "machineId", "core",
                                                               "memory"};

/// Fills `request`; returns a description of the fault, or an empty text.
[[nodiscard]] std::string read_trace_request(std::span<const TraceValue> values,
                                             TraceRequest& request);

/// The same for a row of the table `vmType`.
[[nodiscard]] std::string read_type_share(std::span<const TraceValue> values, TypeShare& share);

/// The value of a CSV field.
[[nodiscard]] TraceValue parse_trace_value(std::string_view field);

/// Sorts `shares` by VM type, then machine type. Errors: WorkloadError that starts with `place` if
/// there are none or a pair occurs twice.
void sort_shares(std::vector<TypeShare>& shares, std::string_view place);

}  // namespace cospot
