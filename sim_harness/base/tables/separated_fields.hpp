#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cospot {

/// Sets `fields`, reusing its memory, to the parts of `line` between separators: at least one.
/// Quotes have no special meaning.
void split_fields(std::string_view line, std::vector<std::string_view>& fields,
                  char separator = ',');

/// The same, as a new vector.
[[nodiscard]] std::vector<std::string_view> split_fields(std::string_view line,
                                                         char separator = ',');

/// A text as a field of a CSV file: in quotes if it contains a comma, a quotation mark or a line
/// end.
[[nodiscard]] std::string csv_field(std::string_view text);

/// Splits lines of CSV (RFC 4180, except that a field cannot contain a line end).
class CsvSplitter {
 public:
  explicit CsvSplitter(char separator = ',') : separator_(separator) {}

  /// Fills `fields`. They are valid as long as `line`; those that contain quotation marks, until
  /// the next call. Returns a description of the fault, or an empty text.
  [[nodiscard]] std::string_view split(std::string_view line,
                                       std::vector<std::string_view>& fields);

 private:
  std::string_view take_quoted(std::string_view& line, std::vector<std::string_view>& fields);

  char separator_;
  std::string unquoted_;
};

}  // namespace cospot
