#pragma once

#include <filesystem>

#include "guarantees/economy/slack.hpp"
#include "sim_harness/base/text/date_time.hpp"

namespace cospot {

/// Reads usage over time: CSV in UTF-8, plain or gzip, with the columns `time_s,capacity,used` and
/// optionally `reserved` and `limit`, in any order, one sample per line (docs/economy.md). Dates
/// without an offset are those of `zone`.
///
/// Errors: WorkloadError with `file:line:` for a missing or unknown column, an invalid amount, a
/// capacity of 0, and a time that is not after the previous one.
[[nodiscard]] UsageSeries read_usage(const std::filesystem::path& file, const TimeZone& zone = {});

/// Tells whether a file's header line is that of usage over time.
[[nodiscard]] bool is_usage_file(const std::filesystem::path& file);

}  // namespace cospot
