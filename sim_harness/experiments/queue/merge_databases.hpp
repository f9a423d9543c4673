#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "sim_harness/experiments/results/results_database.hpp"

namespace cospot {

struct MergeReport {
  std::size_t runs = 0;              ///< in the output
  std::size_t duplicates = 0;        ///< runs present in several inputs, with the same result
  std::vector<std::size_t> missing;  ///< run indices of the experiment that are in no input
};

/// Merges the shards of one experiment into one database, row for row as if one machine had run
/// them all. The output is written in one transaction.
///
/// Errors: DatabaseError if the inputs contain different experiments or inputs, or one run with
/// different results (durations are ignored), and those of ResultsDatabase.
[[nodiscard]] MergeReport merge_databases(const std::vector<std::filesystem::path>& inputs,
                                          const std::filesystem::path& output, IfPresent if_present,
                                          const std::string& command);

/// The final message of a merge, in one or two sentences.
[[nodiscard]] std::string merge_text(const MergeReport& report,
                                     const std::filesystem::path& output);

}  // namespace cospot
