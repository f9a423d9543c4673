#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cospot {

/// Sets `fields`, whose memory it uses again, to what is between the separators of `line`: at least
/// one. Quotes are characters like others.
void split_fields(std::string_view line, std::vector<std::string_view>& fields,
                  char separator = ',');

/// The same, anew.
[[nodiscard]] std::vector<std::string_view> split_fields(std::string_view line,
                                                         char separator = ',');

/// Splits lines of CSV (RFC 4180, but a field does not go on over a line end).
class CsvSplitter {
 public:
  explicit CsvSplitter(char separator = ',') : separator_(separator) {}

  /// Fills `fields`; they are valid as long as `line`, those with a quotation mark in them until
  /// the next call. Returns what is wrong, or nothing.
  [[nodiscard]] std::string_view split(std::string_view line,
                                       std::vector<std::string_view>& fields);

 private:
  std::string_view take_quoted(std::string_view& line, std::vector<std::string_view>& fields);

  char separator_;
  std::string unquoted_;
};

}  // namespace cospot
