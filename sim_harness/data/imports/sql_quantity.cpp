#include "sim_harness/data/imports/sql_quantity.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <cmath>
#include <new>
#include <string>
#include <utility>

#include "core/parse_number.hpp"
#include "sim_harness/base/text/plain_text.hpp"

namespace cospot {
namespace {

constexpr std::array<std::pair<std::string_view, double>, 16> kSuffixes{{{"n", 1e-9},
                                                                         {"u", 1e-6},
                                                                         {"m", 1e-3},
                                                                         {"", 1},
                                                                         {"k", 1e3},
                                                                         {"M", 1e6},
                                                                         {"G", 1e9},
                                                                         {"T", 1e12},
                                                                         {"P", 1e15},
                                                                         {"E", 1e18},
                                                                         {"Ki", 0x1p10},
                                                                         {"Mi", 0x1p20},
                                                                         {"Gi", 0x1p30},
                                                                         {"Ti", 0x1p40},
                                                                         {"Pi", 0x1p50},
                                                                         {"Ei", 0x1p60}}};

extern "C" void cospot_sql_quantity(sqlite3_context* context, int /*count*/,
                                    sqlite3_value** arguments) {
  const unsigned char* bytes = sqlite3_value_text(arguments[0]);
  if (bytes == nullptr) return sqlite3_result_null(context);
  const std::string_view text(reinterpret_cast<const char*>(bytes));
  if (const std::optional<double> number = parse_quantity(text)) {
    return sqlite3_result_double(context, *number);
  }
  const std::string fault = fmt::format(
      "{} is no quantity, expected one such as 500m, 2Gi or 16 GiB", quoted_excerpt(text));
  sqlite3_result_error(context, fault.c_str(), static_cast<int>(fault.size()));
}

}  // namespace

std::optional<double> parse_quantity(std::string_view text) {
  constexpr std::string_view kQuantityEnds = "numkKMGTPEi";
  text = without_blanks(text);
  if (parse_number(text)) return parse_number(text);
  if (text.ends_with('B')) text.remove_suffix(1);  // 16 GiB is 16Gi
  const std::size_t digits =
      text.find_last_not_of(kQuantityEnds) + 1;  // 1E is 10^18, 1E3 was a number
  const std::optional<double> number = parse_number(without_blanks(text.substr(0, digits)));
  for (const auto& [name, factor] : kSuffixes) {
    if (number && text.substr(digits) == name) return *number * factor;
  }
  return std::nullopt;
}

void add_quantity_function(sqlite3* connection) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
  const int status = sqlite3_create_function_v2(connection, "quantity", 1, kFlags, nullptr,
                                                cospot_sql_quantity, nullptr, nullptr, nullptr);
  if (status != SQLITE_OK) throw std::bad_alloc();
}

}  // namespace cospot
