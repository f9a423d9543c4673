#include "sim_harness/files/separated_fields.hpp"

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

}  // namespace cospot
