#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"
#include "sim_harness/base/tables/line_reader.hpp"
#include "sim_harness/base/tables/separated_fields.hpp"
#include "sim_harness/base/text/plain_text.hpp"

namespace cospot {

struct TableColumn {
  std::string_view name;  ///< empty: no file has the column
  bool is_required = true;
};

/// The columns of a CSV file. Readers refer to a column by its position here.
struct TableFormat {
  std::span<const TableColumn> columns;
  std::string_view rows = "rows";  ///< what they are, for messages
  bool may_be_empty = false;       ///< rows are optional
  bool has_other_columns = false;  ///< other columns are skipped instead of rejected
  /// The keys of `# key: value` lines before the header line. If empty, lines starting with `#` are
  /// comments there.
  std::span<const std::string_view> statements{};
  /// The advice for a file that has none of the columns.
  std::string_view other_file{};
};

/// A line `# key: value` before the header line.
struct TableStatement {
  std::string_view key;
  std::string value;
  std::size_t line;
};

/// Reads a table: CSV (RFC 4180, except that a field cannot contain a line end) with a header line
/// and the columns in any order. Skips a byte order mark and empty lines at the end.
///
/// Errors: WorkloadError, `file:line: what is wrong and what was expected`.
class TableReader {
 public:
  /// Reads a file, plain or gzip, line by line.
  TableReader(const std::filesystem::path& file, const TableFormat& format);
  /// Chooses the format that knows most of the file's columns; `formats` and what they refer to
  /// outlive the reader.
  TableReader(const std::filesystem::path& file, std::span<const TableFormat> formats);
  /// Reads a text that outlives the reader. `name` identifies it in errors.
  /// If it was made of a file, `places` are those of its lines there.
  TableReader(std::string_view text, std::string_view name, const TableFormat& format,
              std::span<const std::string> places = {});
  TableReader(std::string_view text, std::string_view name, std::span<const TableFormat> formats);

  /// The index of the file's format among the given ones.
  [[nodiscard]] std::size_t format_index() const { return format_index_; }
  /// The statement before the header line with this key; null if there is none.
  [[nodiscard]] const TableStatement* statement(std::string_view key) const;
  /// For a text: an upper bound on the remaining rows.
  [[nodiscard]] std::size_t most_rows_left() const;

  /// Advances to the next row. False at the end.
  [[nodiscard]] bool next();

  [[nodiscard]] std::size_t line_number() const { return line_number_; }
  [[nodiscard]] bool has(std::size_t column) const { return fields_[column].data() != nullptr; }

  /// The fields of the row by column, without surrounding quotes, valid until next(). A field whose
  /// column the file lacks has a null data pointer, unlike an empty one. When reading a text,
  /// fields without quotation marks stay valid as long as the text.
  [[nodiscard]] std::span<const std::string_view> fields() const {
    return std::span(fields_).first(format().columns.size());
  }
  /// A field without surrounding blanks.
  [[nodiscard]] std::string_view field(std::size_t column) const {
    return without_blanks(fields_[column]);
  }
  [[nodiscard]] bool is_empty(std::size_t column) const { return field(column).empty(); }

  /// A non-empty text that needs no quoting in CSV.
  [[nodiscard]] std::string_view name(std::size_t column) const;
  /// The same, or empty.
  [[nodiscard]] std::string_view plain(std::size_t column) const;
  [[nodiscard]] double number(std::size_t column, double least, double most) const;
  /// A whole number, also written as 4.0 or 4e3.
  template <std::integral Integer>
  [[nodiscard]] Integer whole(std::size_t column, Integer least, Integer most) const {
    return static_cast<Integer>(whole_between(column, least, most));
  }
  /// A size from `least` to kMaxResourceAmount; 0 if the file lacks the column.
  [[nodiscard]] ResourceAmount amount(std::size_t column, ResourceAmount least) const;
  /// Seconds, rounded to the microsecond; at most 10,000 years.
  [[nodiscard]] SimTime seconds(std::size_t column, double least = -kMostSeconds,
                                double most = kMostSeconds) const;
  /// The result of `parse`, which returns an optional, for field(column); rejects the field if it
  /// is empty.
  template <class Parse>
  [[nodiscard]] auto value(std::size_t column, const Parse& parse,
                           std::string_view expected) const {
    const auto parsed = parse(field(column));
    if (!parsed) refuse(column, expected);
    return *parsed;
  }

  /// Throws an error about a field.
  [[noreturn]] void refuse(std::size_t column, std::string_view expected) const;
  /// Throws an error about the row or a statement.
  [[noreturn]] void fail(std::string_view what) const { fail_at(line_number_, what); }
  [[noreturn]] void fail_at(std::size_t line, std::string_view what) const;

  static constexpr double kMostSeconds = 10'000 * 366.0 * 86'400;

 private:
  [[nodiscard]] std::int64_t whole_between(std::size_t column, std::int64_t least,
                                           std::int64_t most) const;
  [[nodiscard]] const TableFormat& format() const { return formats_[format_index_]; }
  [[nodiscard]] bool next_line(std::string_view& line);
  [[nodiscard]] std::string required_columns_text() const;
  void read_preamble();
  void read_statement(std::string_view line);
  void choose_format(std::span<const std::string_view> names);
  void read_header(std::string_view line);
  void split(std::string_view line);
  void put(std::size_t place, std::string_view field);
  void check_width(std::size_t count) const;

  TableFormat only_format_{};
  std::span<const TableFormat> formats_;
  std::size_t format_index_ = 0;
  std::string name_;
  std::span<const std::string> places_;  ///< of lines, for errors; empty: `name_:line`
  std::optional<LineReader> file_;       ///< empty when reading a text
  std::string_view text_;                ///< the unread part
  StopPoll poll_;
  std::size_t line_number_ = 0;
  std::size_t header_line_ = 0;
  bool has_rows_ = false;
  std::vector<TableStatement> statements_;
  std::vector<std::size_t> column_at_;    ///< per position in a line
  std::vector<std::string_view> fields_;  ///< by column; one more for skipped columns
  std::vector<std::string_view> quoted_;  ///< fields of a line with quotes
  CsvSplitter splitter_;
};

}  // namespace cospot
