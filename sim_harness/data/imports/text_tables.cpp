#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include "core/errors.hpp"
#include "core/lower_case.hpp"
#include "core/parse_number.hpp"
#include "sim_harness/base/tables/line_reader.hpp"
#include "sim_harness/base/tables/separated_fields.hpp"
#include "sim_harness/base/text/plain_text.hpp"
#include "sim_harness/data/imports/import_table.hpp"
#include "sim_harness/data/imports/json_tables.hpp"
#include "sim_harness/data/imports/swf_rows.hpp"
#include "sim_harness/data/imports/timestamps.hpp"

namespace cospot {
namespace {

/// Lines of a text file, each of them a row.
class LineTable : public ImportTable {
 public:
  explicit LineTable(const std::filesystem::path& file) : file_(file.string()), reader_(file) {}

  [[nodiscard]] std::string place() const final {
    return fmt::format("{}:{}", file_, reader_.line_number());
  }

 protected:
  /// The next line that is text; a line that is none becomes the row's fault.
  [[nodiscard]] bool next_line(std::string_view& line) {
    fault_.clear();
    if (!reader_.next_bytes(line)) return false;
    if (find_non_text(line) != std::string_view::npos) fault_ = "the line is not UTF-8 text";
    return true;
  }
  [[nodiscard]] bool next_bytes(std::string_view& line) { return reader_.next_bytes(line); }
  [[noreturn]] void fail(std::string_view what) const { reader_.fail(what); }

  std::string file_;

 private:
  LineReader reader_;
};

class CsvTable final : public LineTable {
 public:
  CsvTable(const std::filesystem::path& file, const TableShape& shape)
      : LineTable(file), splitter_(shape.separator) {
    has_null_texts_ = true;
    columns_ = shape.columns;
    if (shape.has_header) read_header();
    std::set<std::string> seen;
    for (const std::string& column : columns_) {
      if (!seen.insert(in_lower_case(column)).second) {
        fail(fmt::format("the column {} comes twice", quoted_excerpt(column)));
      }
    }
  }

  [[nodiscard]] bool next() override {
    std::string_view line;
    do {
      if (!next_line(line)) return false;
    } while (line.empty() && fault_.empty());
    if (!fault_.empty()) return true;
    fault_ = splitter_.split(line, fields_);
    if (fault_.empty() && fields_.size() != columns_.size()) {
      fault_ = fmt::format("{} fields, expected {}", fields_.size(), columns_.size());
    }
    return true;
  }

 private:
  void read_header() {
    std::string_view line;
    if (!next_line(line) || line.empty()) {
      throw WorkloadError(file_ + ":1: the file is empty, expected a header line with the columns");
    }
    if (!fault_.empty()) fail(fault_);
    const std::string_view fault = splitter_.split(line, fields_);
    if (!fault.empty()) fail(fault);
    columns_.assign(fields_.begin(), fields_.end());
    for (std::string& column : columns_) {
      if (column.empty()) column = fmt::format("column {}", &column - columns_.data() + 1);
    }
  }

  CsvSplitter splitter_;
};

/// A log in the Standard Workload Format: a row for each job.
class SwfTable final : public LineTable {
 public:
  explicit SwfTable(const std::filesystem::path& file) : LineTable(file) {
    columns_.assign(SwfRows::kNames.begin(), SwfRows::kNames.end());
  }

  [[nodiscard]] bool next() override {
    std::string_view line;
    fault_.clear();
    while (next_bytes(line)) {
      const SwfRows::Kind kind = row_.read(line);
      if (kind == SwfRows::Kind::kComment) continue;
      if (kind == SwfRows::Kind::kStretch) {
        ++stretches_;
        continue;
      }
      fields_.assign(row_.fields().begin(), row_.fields().end());
      if (kind == SwfRows::Kind::kFault) fault_ = row_.fault();
      if (kind == SwfRows::Kind::kJob) note_submission();
      return true;
    }
    return false;
  }
  [[nodiscard]] std::uint64_t parts_of_rows() const override { return stretches_; }
  [[nodiscard]] std::optional<SimTime> starts_known_until() const override {
    return last_submission_;
  }

 private:
  void note_submission() {
    const std::optional<double> run = parse_number(fields_[SwfRows::kRunTime]);
    const auto submission = parse_duration(fields_[SwfRows::kSubmitTime], TimeUnit::kSeconds);
    if (!submission || !run || *run <= 0) return;
    last_submission_ = std::max(last_submission_.value_or(*submission), *submission);
  }

  SwfRows row_;
  std::uint64_t stretches_ = 0;
  std::optional<SimTime> last_submission_;
};

}  // namespace

std::unique_ptr<ImportTable> open_table(const std::filesystem::path& file,
                                        const TableShape& shape) {
  if (shape.kind == TableShape::Kind::kSwf) return std::make_unique<SwfTable>(file);
  if (shape.kind == TableShape::Kind::kKubernetes) return open_kubernetes(std::span(&file, 1));
  std::unique_ptr<ImportTable> table;
  if (starts_like_json(file)) {
    table = open_json(file, shape);
  } else {
    table = std::make_unique<CsvTable>(file, shape);
  }
  const std::size_t columns = table->columns().size();
  if (columns == 0) {
    throw WorkloadError(
        fmt::format("{}: the records are empty, expected records with values", file.string()));
  }
  if (columns <= kMostColumns) return table;
  throw WorkloadError(fmt::format("{}: the records have {} columns, expected at most {}",
                                  file.string(), columns, kMostColumns));
}

}  // namespace cospot
