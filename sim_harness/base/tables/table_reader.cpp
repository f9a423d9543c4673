#include "sim_harness/base/tables/table_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/errors.hpp"
#include "core/parse_number.hpp"

namespace cospot {
namespace {

std::string names_text(const TableFormat& format, bool are_required) {
  std::vector<std::string_view> names;
  for (const TableColumn& column : format.columns) {
    if (!column.name.empty() && column.is_required == are_required) names.push_back(column.name);
  }
  return fmt::format("{}", fmt::join(names, ","));
}

/// All of them: `a,b[,c,d]`.
std::string columns_text_of(const TableFormat& format) {
  const std::string others = names_text(format, false);
  return names_text(format, true) + (others.empty() ? "" : "[," + others + "]");
}

/// The position of a column, or how many there are.
std::size_t find_column(const TableFormat& format, std::string_view name) {
  if (name.empty()) return format.columns.size();
  const auto found = std::ranges::find(format.columns, name, &TableColumn::name);
  return static_cast<std::size_t>(found - format.columns.begin());
}

}  // namespace

TableReader::TableReader(const std::filesystem::path& file, const TableFormat& format)
    : only_format_(format), formats_(&only_format_, 1), name_(file.string()), file_(file) {
  read_preamble();
}

TableReader::TableReader(const std::filesystem::path& file, std::span<const TableFormat> formats)
    : formats_(formats), name_(file.string()), file_(file) {
  read_preamble();
}

TableReader::TableReader(std::string_view text, std::string_view name, const TableFormat& format,
                         std::span<const std::string> places)
    : only_format_(format), formats_(&only_format_, 1), name_(name), places_(places), text_(text) {
  read_preamble();
}

TableReader::TableReader(std::string_view text, std::string_view name,
                         std::span<const TableFormat> formats)
    : formats_(formats), name_(name), text_(text) {
  read_preamble();
}

void TableReader::fail_at(std::size_t line, std::string_view what) const {
  const std::size_t from_1 = std::max<std::size_t>(line, 1);
  if (from_1 <= places_.size()) {
    throw WorkloadError(fmt::format("{}: {}", places_[from_1 - 1], what));
  }
  throw WorkloadError(fmt::format("{}:{}: {}", name_, from_1, what));
}

void TableReader::refuse(std::size_t column, std::string_view expected) const {
  fail(fmt::format("{} is {}, expected {}", format().columns[column].name,
                   is_empty(column) ? "empty" : quoted_excerpt(field(column)), expected));
}

std::string TableReader::required_columns_text() const {
  std::vector<std::string> texts;
  for (const TableFormat& format : formats_) texts.push_back(names_text(format, true));
  return fmt::format("{}", fmt::join(texts, " or "));
}

const TableStatement* TableReader::statement(std::string_view key) const {
  const auto found = std::ranges::find(statements_, key, &TableStatement::key);
  return found == statements_.end() ? nullptr : &*found;
}

std::size_t TableReader::most_rows_left() const {
  return static_cast<std::size_t>(std::ranges::count(text_, '\n')) + 1;
}

bool TableReader::next_line(std::string_view& line) {
  if (file_) {
    if (!file_->next(line)) return false;
  } else {
    poll_.check();
    if (text_.empty()) return false;
    line = take_line(text_);
  }
  ++line_number_;
  return true;
}

void TableReader::read_preamble() {
  text_ = without_byte_order_mark(text_);
  if (const std::size_t at = find_non_text(text_); at != std::string_view::npos) {
    const auto lines = std::ranges::count(text_.substr(0, at), '\n');
    fail_at(1 + static_cast<std::size_t>(lines), non_text_fault(text_[at]));
  }
  while (text_.ends_with('\n') || text_.ends_with('\r')) text_.remove_suffix(1);
  std::string_view line;
  bool is_empty = true;
  while (next_line(line)) {
    if (line.empty()) continue;
    if (!line.starts_with('#')) return read_header(line);
    read_statement(line);
    is_empty = false;
  }
  fail_at(
      is_empty ? 1 : line_number_ + 1,
      fmt::format("the file {}, expected a header line with {}, and {}",
                  is_empty ? "is empty" : "ends here", required_columns_text(), formats_[0].rows));
}

void TableReader::read_statement(std::string_view line) {
  std::vector<std::string_view> keys;
  for (const TableFormat& format : formats_) {
    keys.insert(keys.end(), format.statements.begin(), format.statements.end());
  }
  if (keys.empty()) return;
  const std::size_t colon = std::min(line.find(':'), line.size());
  const auto key = std::ranges::find(keys, without_blanks(line.substr(1, colon - 1)));
  if (colon == line.size() || key == keys.end()) {
    fail(
        fmt::format("found {}, expected the header line, or before it '# KEY: VALUE' with the "
                    "keys {}",
                    quoted_excerpt(line), fmt::join(keys, ", ")));
  }
  if (const TableStatement* first = statement(*key)) {
    fail(fmt::format("{} is stated on line {} too", *key, first->line));
  }
  statements_.push_back({*key, std::string(without_blanks(line.substr(colon + 1))), line_number_});
}

void TableReader::choose_format(std::span<const std::string_view> names) {
  if (formats_.size() == 1) return;
  std::ptrdiff_t most = 0;
  for (const TableFormat& format : formats_) {
    const auto known = std::ranges::count_if(names, [&](std::string_view name) {
      return find_column(format, name) < format.columns.size();
    });
    if (known <= most) continue;
    most = known;
    format_index_ = static_cast<std::size_t>(&format - formats_.data());
  }
  if (most == 0) {
    fail(fmt::format("the header line has none of the columns, expected {}{}",
                     required_columns_text(), formats_.front().other_file));
  }
}

void TableReader::read_header(std::string_view line) {
  header_line_ = line_number_;
  for (const auto& [separator, text] : {std::pair(';', "semicolons"), std::pair('\t', "tabs")}) {
    if (line.find(',') != line.npos || line.find(separator) == line.npos) continue;
    fail(fmt::format("the fields are separated by {}, expected commas: {}{}", text,
                     required_columns_text(), formats_.front().other_file));
  }
  std::vector<std::string_view> names;
  if (const std::string_view fault = splitter_.split(line, names); !fault.empty()) fail(fault);
  for (std::string_view& name : names) name = without_blanks(name);
  choose_format(names);
  const std::size_t others = format().columns.size();
  for (const std::string_view name : names) {
    const std::size_t column = find_column(format(), name);
    if (column == others && !format().has_other_columns) {
      fail(fmt::format("unknown column {}, expected {}{}", quoted_excerpt(name),
                       columns_text_of(format()), formats_.front().other_file));
    }
    if (column != others && std::ranges::find(column_at_, column) != column_at_.end()) {
      fail(fmt::format("the column '{}' comes twice", name));
    }
    column_at_.push_back(column);
  }
  fields_.resize(others + 1);
  for (const std::size_t column : column_at_) fields_[column] = "";
  std::vector<std::string_view> missing;
  for (std::size_t i = 0; i < others; ++i) {
    const TableColumn& column = format().columns[i];
    if (!column.name.empty() && column.is_required && !has(i)) missing.push_back(column.name);
  }
  if (missing.empty()) return;
  fail(fmt::format("the column{} '{}' {} missing, expected {}", missing.size() == 1 ? "" : "s",
                   fmt::join(missing, "', '"), missing.size() == 1 ? "is" : "are",
                   columns_text_of(format())));
}

bool TableReader::next() {
  std::string_view line;
  std::size_t empty_line = 0;
  while (next_line(line) && line.empty()) {
    if (empty_line == 0) empty_line = line_number_;
  }
  if (line.empty()) {
    if (has_rows_ || format().may_be_empty) return false;
    fail_at(header_line_, fmt::format("the file has a header line but no {}", format().rows));
  }
  if (empty_line != 0) {
    line_number_ = empty_line;
    check_width(0);
  }
  has_rows_ = true;
  split(line);
  return true;
}

void TableReader::put(std::size_t place, std::string_view field) {
  if (place < column_at_.size()) fields_[column_at_[place]] = field;
}

void TableReader::check_width(std::size_t count) const {
  if (count == column_at_.size()) return;
  fail(fmt::format("{} fields, expected {} as in the header line", count, column_at_.size()));
}

void TableReader::split(std::string_view line) {
  std::size_t count = 0;
  for (std::string_view rest = line;; ++count) {
    if (rest.starts_with('"')) break;
    const std::size_t comma = rest.find(',');
    put(count, rest.substr(0, comma));
    if (comma == std::string_view::npos) return check_width(count + 1);
    rest.remove_prefix(comma + 1);
  }
  // Few files have quotes; only their lines are split with care.
  if (const std::string_view fault = splitter_.split(line, quoted_); !fault.empty()) fail(fault);
  check_width(quoted_.size());
  for (std::size_t i = 0; i < quoted_.size(); ++i) put(i, quoted_[i]);
}

std::string_view TableReader::name(std::size_t column) const {
  if (is_empty(column)) refuse(column, "a name");
  return plain(column);
}

std::string_view TableReader::plain(std::size_t column) const {
  const std::string_view text = field(column);
  if (text.find_first_of(",\"") == std::string_view::npos) return text;
  refuse(column, "a name without commas and quotation marks");
}

double TableReader::number(std::size_t column, double least, double most) const {
  const std::optional<double> number = parse_number(field(column));
  if (number && *number >= least && *number <= most) return *number;
  refuse(column, std::isinf(least)  ? "a finite number"
                 : std::isinf(most) ? fmt::format("a number from {}", least)
                                    : fmt::format("a number from {} to {}", least, most));
}

ResourceAmount TableReader::amount(std::size_t column, ResourceAmount least) const {
  return has(column) ? whole(column, least, kMaxResourceAmount) : 0;
}

std::int64_t TableReader::whole_between(std::size_t column, std::int64_t least,
                                        std::int64_t most) const {
  const std::optional<std::int64_t> number = parse_whole(field(column));
  if (number && *number >= least && *number <= most) return *number;
  refuse(column, fmt::format("a whole number from {} to {}", least, most));
}

SimTime TableReader::seconds(std::size_t column, double least, double most) const {
  const std::optional<double> number = parse_number(field(column));
  if (number && *number >= least && *number <= most) return SimTime(std::llround(*number * 1e6));
  if (number && *number > most) refuse(column, fmt::format("at most {} seconds", most));
  refuse(column, least == 0 ? "seconds from 0" : "a number of seconds");
}

}  // namespace cospot
