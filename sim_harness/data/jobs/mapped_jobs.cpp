#include "sim_harness/data/jobs/mapped_jobs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <variant>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/tables/separated_fields.hpp"
#include "sim_harness/base/text/plain_text.hpp"
#include "sim_harness/data/imports/import_table.hpp"
#include "sim_harness/data/imports/row_values.hpp"
#include "sim_harness/data/jobs/job_formats.hpp"

namespace cospot {
namespace {

/// A field of CSV.
struct FieldText {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
  std::string operator()(double number) const { return fmt::format("{}", number); }
  std::string operator()(const std::string& text) const {
    std::string line = text;
    std::ranges::replace_if(
        line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return csv_field(line);
  }
};

/// The values computed for each row: the columns of a job CSV, and whether the row counts.
class JobExpressions {
 public:
  JobExpressions(const ImportTable& table, const JobColumns& columns)
      : table_(&table), expressions_(table.columns(), table.has_null_texts()) {
    for (const std::string& name : mapped_job_columns()) {
      const auto mapped = std::ranges::find(
          columns.map, name, [](const auto& one) -> const auto& { return one.first; });
      if (mapped != columns.map.end()) {
        add("jobs.map." + name, mapped->second);
      } else if (std::ranges::find(table.columns(), name) != table.columns().end()) {
        add("jobs.map." + name, name);
      } else {
        continue;
      }
      header_ += (header_.empty() ? "" : ",") + name;
    }
    fields_ = count_;
    if (!columns.only.empty()) add("jobs.only", columns.only);
  }

  [[nodiscard]] const std::string& header() const { return header_; }

  /// The row as a line of CSV; nothing if it does not count.
  [[nodiscard]] std::optional<std::string> line() {
    if (!table_->fault().empty()) fail(table_->fault());
    expressions_.evaluate(table_->fields());
    // SQL would take the digits that a text begins with.
    for (std::size_t i = 0; i < count_; ++i) {
      const std::optional<NumberFault> wrong = expressions_.number_fault(i);
      if (wrong) fail(fmt::format("{}, expected {}", wrong->fault.found, wrong->fault.expected));
    }
    if (!expressions_.fault().empty()) fail(expressions_.fault());
    if (fields_ < count_ && !is_true(expressions_.value(fields_))) return std::nullopt;
    std::string line;
    for (std::size_t i = 0; i < fields_; ++i) {
      if (i > 0) line += ',';
      line += std::visit(FieldText{}, expressions_.value(i));
    }
    return line;
  }

 private:
  void add(const std::string& option, const std::string& expression) {
    expressions_.add(option, expression);
    ++count_;
  }
  [[noreturn]] void fail(std::string_view what) const {
    throw WorkloadError(fmt::format("{}: {}", table_->place(), what));
  }

  const ImportTable* table_;
  RowExpressions expressions_;
  std::size_t count_ = 0;  ///< of expressions
  std::string header_;
  std::size_t fields_ = 0;
};

}  // namespace

std::vector<std::string> mapped_job_columns() {
  return {"submission_s", "duration_s",  "nodes", "user",     "estimate_s",
          "deadline_s",   "parallelism", "sigma", "memory_mb"};
}

JobLog read_mapped_jobs(const std::filesystem::path& path, const JobColumns& columns) {
  TableShape shape{};
  shape.separator = columns.separator;
  const std::unique_ptr<ImportTable> table = open_table(path, shape);
  JobExpressions expressions(*table, columns);
  if (expressions.header().empty()) {
    throw WorkloadError(fmt::format(
        "{}: the columns are {}, expected some of {}; jobs.map says which column is which",
        path.string(), fmt::join(table->columns(), ", "), fmt::join(mapped_job_columns(), ", ")));
  }
  std::string text = expressions.header() + "\n";
  std::vector<std::string> places{path.string() + ":1"};
  while (table->next()) {
    const std::optional<std::string> line = expressions.line();
    if (!line) continue;
    text += *line + "\n";
    places.push_back(table->place());
  }
  if (places.size() == 1) {
    throw WorkloadError(fmt::format("{}: no row counts as a job, expected some", path.string()));
  }
  JobLog log{.name = path.string(), .sha256 = sha256_hex(read_stored_file(path))};
  visit_job_csv(
      text, log.name, columns.zone, [&log](const Job& job) { log.jobs.push_back(job); }, places);
  log.places = std::move(places);
  return log;
}

}  // namespace cospot
