#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim_harness/commands/options.hpp"
#include "sim_harness/studies/study.hpp"

namespace cospot {

struct ReportArguments {
  std::vector<std::string> databases{};  ///< one, or before and after
  std::string output = "report.html";
  std::optional<std::string> title{};
  PriceOption price{};
  PolicyLoader* policies = nullptr;  ///< of study files
};

struct WrittenReport {
  std::size_t runs = 0;
  std::size_t bytes = 0;
};

/// Writes the results of a database, or of two for comparison, as one page. Errors: InputError,
/// DatabaseError.
WrittenReport write_report(const ReportArguments& arguments, const StudyRegistry& studies);

}  // namespace cospot
