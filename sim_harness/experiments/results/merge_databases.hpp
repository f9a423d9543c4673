#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "sim_harness/experiments/results/results_database.hpp"

namespace cospot {

struct MergeReport {
  std::size_t runs = 0;              ///< in the output
  std::size_t duplicates = 0;        ///< runs that more than one input has, with the same result
  std::vector<std::size_t> missing;  ///< run indices of the experiment that no input has
};

/// Puts the shards of one experiment together into one database, row for row as if one machine had
/// run them all. The output is written in one transaction.
///
/// Errors: DatabaseError when the inputs hold different experiments or inputs, or the same run with
/// different results (times do not count), and what ResultsDatabase throws.
[[nodiscard]] MergeReport merge_databases(const std::vector<std::filesystem::path>& inputs,
                                          const std::filesystem::path& output, IfPresent if_present,
                                          const std::string& command);

/// What a merge says at its end, in one or two sentences.
[[nodiscard]] std::string merge_text(const MergeReport& report,
                                     const std::filesystem::path& output);

}  // namespace cospot
