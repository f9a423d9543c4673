#include "sim_harness/report/report_axes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim_harness/files/json_text.hpp"

namespace cospot {
std::string axes_json(const std::vector<GridAxis>& axes,
                      const std::function<std::string(const GridAxis&, const AxisValue&)>& extra) {
  std::vector<std::string> texts;
  for (const GridAxis& axis : axes) {
    std::vector<std::string> values;
    for (const AxisValue& value : axis.values) {
      values.push_back(fmt::format("{{\"label\":{},\"yaml\":{}{}{}}}",
                                   script_json_text(value.label), script_json_text(value.yaml),
                                   value.needs_true_lifetimes ? ",\"bound\":true" : "",
                                   extra ? extra(axis, value) : ""));
    }
    texts.push_back(
        fmt::format("{{\"key\":\"{}\",\"values\":[{}]}}", axis.key, fmt::join(values, ",")));
  }
  return fmt::format("[{}]", fmt::join(texts, ",\n"));
}

std::string versions_json(ResultsDatabase& results) {
  SqliteStatement select(results.connection(), "SELECT DISTINCT version FROM run ORDER BY version");
  std::vector<std::string> versions;
  while (select.step()) versions.push_back(script_json_text(select.read_text()));
  return json_list(versions);
}

}  // namespace cospot
