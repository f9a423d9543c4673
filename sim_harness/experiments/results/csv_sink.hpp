#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "sim_harness/experiments/results/results_database.hpp"

namespace cospot {

/// Whether results keep how long things took. Without it two runs of an experiment give the same
/// bytes.
enum class Timing : std::uint8_t { kOn, kOff };

/// The value, or 0 for a time unless times are to be kept.
[[nodiscard]] Value with_timing(const Column& column, const Value& value, Timing timing);

/// The results as CSV with a header line (docs/results-format.md), in the order of `rows`.
[[nodiscard]] std::string csv_text(const Schema& schema, std::span<const Row> rows, Timing timing);

/// The same of all runs of a database, in grid order.
[[nodiscard]] std::string csv_text(ResultsDatabase& results, Timing timing);

/// Writes csv_text to a file: first to a temporary one beside it, which then takes its place, so
/// that the file is there as a whole or not at all. What was there is replaced.
///
/// Errors: InputError that names the file.
void write_csv(const std::filesystem::path& file, ResultsDatabase& results, Timing timing);

/// What the runs of a database did over time, a line for each day of a run, in grid order: the run,
/// its axes, and the columns of the table `timeline`. Errors: DatabaseError when it has none.
[[nodiscard]] std::string timeline_csv_text(ResultsDatabase& results);

/// Writes that to a file, as write_csv does.
void write_timeline_csv(const std::filesystem::path& file, ResultsDatabase& results);

/// Throws InputError when write_csv could not write there: asked before hours of simulation.
void require_csv_writable(const std::filesystem::path& file);

}  // namespace cospot
