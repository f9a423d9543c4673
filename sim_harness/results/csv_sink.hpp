#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "sim_harness/results/result_row.hpp"

namespace cospot {

/// Whether results keep how long things took. Without it two runs of a sweep give the same bytes.
enum class Timing : std::uint8_t { kOn, kOff };

/// The result with its times set to 0 unless they are to be kept.
[[nodiscard]] RunResult with_timing(const RunResult& result, Timing timing);

/// The results as CSV with a header line (docs/results-format.md), in the order of `rows`.
[[nodiscard]] std::string csv_text(std::span<const ResultRow> rows, Timing timing);

/// Writes csv_text to a file: first to a temporary one beside it, which then takes its place, so
/// that the file is there as a whole or not at all. What was there is replaced.
///
/// Errors: InputError that names the file.
void write_csv(const std::filesystem::path& file, std::span<const ResultRow> rows, Timing timing);

/// Throws InputError when write_csv could not write there: asked before hours of simulation.
void require_csv_writable(const std::filesystem::path& file);

}  // namespace cospot
