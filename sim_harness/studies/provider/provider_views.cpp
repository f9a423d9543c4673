#include "sim_harness/studies/provider/provider_views.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace cospot {

std::string axes_sql(std::span<const Column> axes, std::string_view table) {
  std::vector<std::string> names;
  for (const Column& axis : axes) {
    names.push_back(table.empty() ? axis.name : fmt::format("{}.{}", table, axis.name));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string same_axes_sql(std::span<const Column> axes, std::string_view one,
                          std::string_view other) {
  std::vector<std::string> same;
  for (const Column& axis : axes) {
    same.push_back(fmt::format("{}.{} IS {}.{}", one, axis.name, other, axis.name));
  }
  return fmt::format("{}", fmt::join(same, " AND "));
}

std::string counterpart_view(std::string_view name, std::span<const Column> axes,
                             const std::map<std::string_view, std::string_view>& values) {
  std::vector<Column> others;
  for (const Column& axis : axes) {
    if (!values.contains(axis.name)) others.push_back(axis);
  }
  std::string where;
  for (const auto& [axis, value] : values) where += fmt::format("other.{} = {} AND ", axis, value);
  const bool has_headroom =
      std::ranges::find(axes, "headroom_percent", &Column::name) != axes.end();
  return fmt::format(
      "CREATE VIEW {} AS\n"
      "SELECT run.run_index, other.vm_revenue_requested, other.vm_revenue, other.vm_revenue_lost,\n"
      "  other.spot_revenue\n"
      "FROM run JOIN run AS other ON {}{}{};\n",
      name, where, same_axes_sql(others, "other", "run"),
      has_headroom ? "\n  AND (run.headroom_percent IS NOT NULL OR other.hosts = run.hosts)" : "");
}

std::string baseline_view(std::span<const Column> axes) {
  return counterpart_view("baseline", axes, {{"saf", "0"}, {"otn", "1"}});
}

}  // namespace cospot
