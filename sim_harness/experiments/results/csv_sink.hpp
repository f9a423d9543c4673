#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "sim_harness/experiments/results/results_database.hpp"

namespace cospot {

/// Says if results contain durations. Without them, two runs of an experiment give the same bytes.
enum class Timing : std::uint8_t { kOn, kOff };

/// The value, or 0 for a duration without timing.
[[nodiscard]] Value with_timing(const Column& column, const Value& value, Timing timing);

/// The results as CSV with a header line (docs/results-format.md), in the order of `rows`.
[[nodiscard]] std::string csv_text(const Schema& schema, std::span<const Row> rows, Timing timing);

/// The same for all runs of a database, in grid order.
[[nodiscard]] std::string csv_text(ResultsDatabase& results, Timing timing);

/// Writes csv_text to a file, as NewFile does.
void write_csv(const std::filesystem::path& file, ResultsDatabase& results, Timing timing);

/// The timelines of a database's runs, one line per day of a run, in grid order: the run, its axes,
/// and the columns of the table `timeline`. Errors: DatabaseError if there are none.
[[nodiscard]] std::string timeline_csv_text(ResultsDatabase& results);

/// Writes the timelines to a file, as write_csv does.
void write_timeline_csv(const std::filesystem::path& file, ResultsDatabase& results);

}  // namespace cospot
