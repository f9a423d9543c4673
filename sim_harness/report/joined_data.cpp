#include "sim_harness/report/joined_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/base/json/json.hpp"

namespace cospot {
namespace {

using Places = std::vector<std::vector<std::size_t>>;  ///< by axis, by value

/// Adds the values of `from` that `axis` lacks, and says where each of them is.
std::vector<std::size_t> add_values(Json& axis, const Json& from) {
  Json& values = axis["values"];
  std::vector<std::size_t> places;
  for (const Json& value : from.at("values")) {
    const auto same = std::ranges::find_if(
        values, [&value](const Json& one) { return one.at("label") == value.at("label"); });
    places.push_back(static_cast<std::size_t>(same - values.begin()));
    if (same == values.end()) values.push_back(value);
  }
  return places;
}

/// The index of a run on the joined axes. Both grids have their last axis fastest.
std::size_t joined_index(std::size_t run, const Places& places, const Json& axes) {
  std::size_t index = 0;
  std::size_t stride = 1;
  for (std::size_t axis = places.size(); axis-- > 0;) {
    const std::size_t length = places[axis].size();
    index += places[axis][run % length] * stride;
    run /= length;
    stride *= axes[axis].at("values").size();
  }
  return index;
}

std::vector<std::size_t> runs_of(const Json& data) {
  if (!data.at("runs").is_null()) return data.at("runs").get<std::vector<std::size_t>>();
  std::vector<std::size_t> runs(data.at("expectedRuns").get<std::size_t>());
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i] = i;
  return runs;
}

void require_alike(const Json& before, const Json& after, std::string_view where) {
  if (before.at("study") != after.at("study")) {
    throw DatabaseError(fmt::format("{}: are of two studies, {} and {}; expected databases of one",
                                    where, before.at("study").get<std::string>(),
                                    after.at("study").get<std::string>()));
  }
  const auto names = [](const Json& data) {
    return json_list_of(data.at("axes"), [](const Json& axis) { return axis.at("name"); });
  };
  if (names(before) != names(after)) {
    throw DatabaseError(fmt::format("{}: have different axes, {} and {}; expected the same in both",
                                    where, compact_json(names(before)),
                                    compact_json(names(after))));
  }
}

Json database_axis() {
  Json values = Json::array();
  for (const char* label : {"before", "after"}) {
    values.push_back({{"label", label}, {"yaml", label}, {"number", label}});
  }
  return {{"name", "database"},
          {"key", "database"},
          {"unit", ""},
          {"meaning", "which of the two results databases"},
          {"values", std::move(values)}};
}

/// Columns that both have, with the runs of one behind those of the other.
Json joined_columns(const Json& before, Json after) {
  Json columns = Json::array();
  for (Json& column : after) {
    const auto same = std::ranges::find_if(
        before, [&column](const Json& one) { return one.at("name") == column.at("name"); });
    if (same == before.end()) continue;
    Json values = same->at("values");
    for (Json& value : column["values"]) values.push_back(std::move(value));
    column["values"] = std::move(values);
    columns.push_back(std::move(column));
  }
  return columns;
}

/// Joins the timelines if both databases keep them.
void join_timelines(const Json& before, const Json& after, Json& joined) {
  joined.erase("timeline");
  if (!before.contains("timeline") || !after.contains("timeline")) return;
  Json days = before.at("timeline").at("days");
  for (const Json& count : after.at("timeline").at("days")) days.push_back(count);
  joined["timeline"] = {{"days", std::move(days)},
                        {"columns", joined_columns(before.at("timeline").at("columns"),
                                                   after.at("timeline").at("columns"))}};
}

/// Figures of the second whose columns both have.
Json joined_figures(const Json& figures, const Json& columns) {
  Json kept = Json::array();
  for (const Json& figure : figures) {
    const bool is_known = std::ranges::any_of(
        columns, [&figure](const Json& one) { return one.at("name") == figure.at("name"); });
    if (is_known) kept.push_back(figure);
  }
  return kept;
}

}  // namespace

Json joined_data(Json before, Json after, std::string_view names) {
  require_alike(before, after, names);
  Json joined = after;
  Json& axes = joined["axes"] = before.at("axes");
  Places places_before, places_after;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    places_before.push_back(add_values(axes[i], before.at("axes")[i]));
    places_after.push_back(add_values(axes[i], after.at("axes")[i]));
  }
  std::size_t grid = 1;
  for (const Json& axis : axes) grid *= axis.at("values").size();
  Json& runs = joined["runs"] = Json::array();
  for (const std::size_t run : runs_of(before)) {
    runs.push_back(joined_index(run, places_before, axes));
  }
  for (const std::size_t run : runs_of(after)) {
    runs.push_back(grid + joined_index(run, places_after, axes));
  }
  axes.insert(axes.begin(), database_axis());
  joined["isPair"] = true;
  joined["createdBy"] = fmt::format("{} and {}", before.at("createdBy").get<std::string>(),
                                    after.at("createdBy").get<std::string>());
  for (const Json& version : before.at("versions")) {
    Json& versions = joined["versions"];
    if (std::find(versions.begin(), versions.end(), version) == versions.end())
      versions.push_back(version);
  }
  joined["expectedRuns"] =
      before.at("expectedRuns").get<std::size_t>() + after.at("expectedRuns").get<std::size_t>();
  if (before.at("tQuantiles").size() > joined.at("tQuantiles").size()) {
    joined["tQuantiles"] = before.at("tQuantiles");
  }
  join_timelines(before, after, joined);
  joined["columns"] = joined_columns(before.at("columns"), std::move(after["columns"]));
  joined["figures"] = joined_figures(after.at("figures"), joined.at("columns"));
  return joined;
}

}  // namespace cospot
