#include "sim_harness/base/tables/separated_fields.hpp"

#include <algorithm>

namespace cospot {

void split_fields(std::string_view line, std::vector<std::string_view>& fields, char separator) {
  fields.clear();
  for (;;) {
    const std::size_t end = line.find(separator);
    fields.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> split_fields(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  split_fields(line, fields, separator);
  return fields;
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field + '"';
}

std::string_view CsvSplitter::split(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  unquoted_.clear();
  unquoted_.reserve(line.size());  // so that views into it stay
  for (;;) {
    if (line.starts_with('"')) {
      line.remove_prefix(1);
      const std::string_view fault = take_quoted(line, fields);
      if (!fault.empty()) return fault;
    } else {
      const std::size_t end = std::min(line.find(separator_), line.size());
      fields.push_back(line.substr(0, end));
      line.remove_prefix(end);
    }
    if (line.empty()) return {};
    if (line.front() != separator_) return "a quoted field goes on after its quotation mark";
    line.remove_prefix(1);
  }
}

std::string_view CsvSplitter::take_quoted(std::string_view& line,
                                          std::vector<std::string_view>& fields) {
  const std::size_t first = unquoted_.size();
  const std::string_view whole = line;
  for (;;) {
    const std::size_t mark = line.find('"');
    if (mark == std::string_view::npos) return "a quotation mark is not closed on its line";
    unquoted_ += line.substr(0, mark);
    line.remove_prefix(mark + 1);
    if (!line.starts_with('"')) break;
    unquoted_ += '"';
    line.remove_prefix(1);
  }
  const std::string_view text = std::string_view(unquoted_).substr(first);
  const bool has_mark = text.find('"') != std::string_view::npos;
  fields.push_back(has_mark ? text : whole.substr(0, text.size()));
  return {};
}

}  // namespace cospot
