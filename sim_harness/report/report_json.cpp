#include "sim_harness/report/report_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/flow_yaml.hpp"
#include "sim_harness/base/json/json.hpp"
#include "sim_harness/experiments/grid/stored_axes.hpp"
#include "sim_harness/experiments/summary/means_table.hpp"
#include "sim_harness/report/joined_data.hpp"
#include "sim_harness/studies/provider/timeline_measures.hpp"

namespace cospot {
namespace {

/// Eight significant digits: more than any chart or table shows.
Json rounded(std::optional<double> number) {
  if (!number) return nullptr;
  return json_of(std::strtod(fmt::format("{:.8g}", *number).c_str(), nullptr));
}

Json value_json(const Column& column, const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* revenue = std::get_if<Revenue>(&value)) return rounded(vcpu_seconds(*revenue));
  if (const auto* number = std::get_if<double>(&value)) return rounded(*number);
  const auto* integer = std::get_if<std::int64_t>(&value);
  if (integer == nullptr) return nullptr;
  return column.type == ColumnType::kBoolean ? Json(*integer != 0) : Json(*integer);
}

/// A column of all runs.
Json column_json(std::string_view name, std::string_view role, std::string_view unit,
                 std::string_view meaning, Json values) {
  return {{"name", name},
          {"role", role},
          {"unit", unit},
          {"meaning", meaning},
          {"values", std::move(values)}};
}

Json column_json(const Column& column, Json values) {
  return column_json(column.name, column_role_name(column.role), column.unit, column.meaning,
                     std::move(values));
}

void add_measures(ResultsDatabase& results, Json& columns) {
  const Schema& schema = results.schema();
  std::vector<Json> values(schema.measures.size(), Json::array());
  results.for_each_row([&](const Row& row) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i].push_back(value_json(schema.measures[i], row.values[schema.axes.size() + i]));
    }
  });
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!schema.measures[i].is_in_csv()) continue;
    columns.push_back(column_json(schema.measures[i], std::move(values[i])));
  }
}

void add_derived(ResultsDatabase& results, Json& columns) {
  const std::vector<Column>& derived = results.schema().derived;
  if (derived.empty()) return;
  std::vector<Figure> figures;
  for (const Column& column : derived) figures.push_back({.name = column.name, .sql = {}});
  const RunFigures read = read_figures(results, figures);
  for (std::size_t i = 0; i < derived.size(); ++i) {
    columns.push_back(column_json(derived[i], json_list_of(read.values[i], rounded)));
  }
}

/// The display of a figure.
Json figure_json(const Figure& figure) {
  Json json{{"name", figure.name}, {"title", figure.title}};
  const bool is_share = figure.unit == FigureUnit::kShare || figure.unit == FigureUnit::kPercent;
  json["decimals"] = figure.decimals;
  // A share that is told as a ratio is none here either.
  if (is_share) json["unit"] = "%";
  if (figure.unit == FigureUnit::kNumber || figure.unit == FigureUnit::kCount) {
    json["isNumber"] = true;
  }
  if (figure.unit == FigureUnit::kAmount) json["isAmount"] = true;
  if (figure.is_change) json["isChange"] = true;
  if (figure.better != Better::kUnsaid) {
    json["better"] = figure.better == Better::kHigh ? "high" : "low";
  }
  return json;
}

/// Adds those that are no column of the study already; gives all of them, what decides first.
Json add_figures(ResultsDatabase& results, const StudyFigures& study, Json& columns) {
  const std::vector<Figure> figures = study.all();
  Json deciding = Json::array(), others = Json::array();
  const RunFigures read = read_figures(results, figures);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const Figure& figure = figures[i];
    Json& list = figure.better == Better::kUnsaid ? others : deciding;
    list.push_back(figure_json(figure));
    if (i >= study.figures.size()) list.back()["isMore"] = true;
    if (figure.sql.empty()) continue;
    const auto known = std::find_if(columns.begin(), columns.end(), [&](const Json& column) {
      return column.at("name") == figure.name;
    });
    if (known != columns.end()) {
      (*known)["values"] = json_list_of(read.values[i], rounded);
      continue;
    }
    columns.push_back(column_json(figure.name, "figure",
                                  figure.unit == FigureUnit::kShare     ? "fraction"
                                  : figure.unit == FigureUnit::kSeconds ? "s"
                                                                        : "",
                                  figure.meaning.empty() ? figure.title : figure.meaning,
                                  json_list_of(read.values[i], rounded)));
  }
  deciding.insert(deciding.end(), others.begin(), others.end());
  return deciding;
}

/// The rule by which the page chooses the best of what is in view.
Json best_json(const StudyFigures& study) {
  if (!study.best) return nullptr;
  const BestOfEach& best = *study.best;
  return {{"axis", best.axis},
          {"condition", best.condition},
          {"met", best.met},
          {"failed", best.failed},
          {"bound", best.bound.title},
          {"start", {{"x", study.report_axis}, {"color", study.report_color}}}};
}

void add_money(ResultsDatabase& results, const StudyMoney& money, const WorkloadPrices& prices,
               Json& columns) {
  const RunMoney of_runs = money_of_runs(results, money, prices);
  for (std::size_t i = 0; i < money.columns.size(); ++i) {
    const MoneyColumn& column = money.columns[i];
    columns.push_back(column_json(column.name, "money", "money", column.meaning,
                                  json_list_of(of_runs.amounts[i], rounded)));
  }
}

/// The worth of a vcpu-second in each run, by the columns of a timeline; empty for columns that are
/// no revenue.
std::vector<std::vector<std::optional<double>>> timeline_prices(ResultsDatabase& results,
                                                                const StudyMoney& money,
                                                                const WorkloadPrices& prices) {
  StudyMoney unit{.columns = {}, .joins = money.joins};
  for (const Column& column : results.schema().timeline) {
    const std::optional<PriceKind> price = price_of_timeline(column.name);
    unit.columns.push_back({.name = column.name,
                            .title = {},
                            .price = price.value_or(PriceKind::kOnDemand),
                            .sql = price ? "1.0" : "NULL",
                            .meaning = {}});
  }
  return money_of_runs(results, unit, prices).amounts;
}

/// The timelines of the runs: the number of days of each, and their values one after the other. A
/// chart shows fewer than five significant digits.
Json timeline_json(ResultsDatabase& results, const ReportShows& shows) {
  const std::vector<Column>& columns = results.schema().timeline;
  std::vector<std::vector<std::optional<double>>> prices(columns.size());
  if (shows.money && shows.prices) prices = timeline_prices(results, *shows.money, *shows.prices);
  Json days = Json::array();
  std::vector<Json> values(columns.size(), Json::array());
  const std::vector<std::size_t> runs = results.finished_runs();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::vector<std::vector<Value>> timeline = results.timeline_of(runs[i]);
    days.push_back(timeline.size());
    for (const std::vector<Value>& day : timeline) {
      for (std::size_t c = 1; c < columns.size(); ++c) {
        const auto* count = std::get_if<std::int64_t>(&day[c]);
        double value = count != nullptr ? static_cast<double>(*count) : std::get<double>(day[c]);
        if (price_of_timeline(columns[c].name) && !prices[c].empty()) {
          value *= prices[c][i].value_or(0);
        }
        values[c].push_back(json_of(std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr)));
      }
    }
  }
  Json shown = Json::array();
  for (std::size_t c = 1; c < columns.size(); ++c) {
    const bool is_money = price_of_timeline(columns[c].name) && !prices[c].empty();
    shown.push_back(column_json(columns[c].name, column_role_name(columns[c].role),
                                is_money ? "money" : columns[c].unit, columns[c].meaning,
                                std::move(values[c])));
  }
  return {{"days", std::move(days)}, {"columns", std::move(shown)}};
}

Json axes_json(const Schema& schema, const std::vector<GridAxis>& axes) {
  Json list = Json::array();
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Column& column = schema.axes[i];
    list.push_back({{"name", axes[i].name},
                    {"key", axes[i].key},
                    {"unit", column.unit},
                    {"meaning", column.meaning},
                    {"values", json_list_of(axes[i].values, [&](const AxisValue& value) {
                       Json json{{"label", value.label},
                                 {"yaml", value.yaml},
                                 {"number", value_json(column, value.value)}};
                       if (value.needs_true_lifetimes) json["bound"] = true;
                       return json;
                     })}});
  }
  return list;
}

Json versions_json(ResultsDatabase& results) {
  SqliteStatement select(results.connection(), "SELECT DISTINCT version FROM run ORDER BY version");
  Json versions = Json::array();
  while (select.step()) versions.push_back(select.read_text());
  return versions;
}

/// The axes that means are over, as groups whose values together are a sample: the samples are
/// those of the first group with several.
Json samples_json(const std::vector<GridAxis>& axes, std::span<const std::string_view> own) {
  Json groups = Json::array();
  if (!own.empty()) groups.push_back(own);
  for (const char* name : {"workload", "seed"}) {
    const auto found = std::ranges::find(axes, name, &GridAxis::name);
    if (own.empty() && found != axes.end() && is_sample_axis(axes, name)) {
      groups.push_back(Json::array({name}));
    }
  }
  return groups;
}

/// For the intervals of means, by the number of samples; there is none of one.
Json t_quantiles(const std::vector<GridAxis>& axes, const Json& samples) {
  std::size_t most = 1;
  for (const Json& group : samples) {
    std::size_t count = 1;
    for (const GridAxis& axis : axes) {
      if (std::find(group.begin(), group.end(), axis.name) != group.end())
        count *= axis.values.size();
    }
    most = std::max(most, count);
  }
  Json quantiles{nullptr, nullptr};
  for (std::size_t count = 2; count <= most; ++count) quantiles.push_back(t_quantile(count));
  return quantiles;
}

/// The settings that are no axes, by their keys, as a study file has them.
Json settings_json(const Json& configuration, const std::vector<GridAxis>& axes) {
  Json settings = Json::object();
  for (const auto& [key, value] : configuration.items()) {
    const bool is_axis = std::ranges::find(axes, key, &GridAxis::key) != axes.end();
    if (!is_axis) settings[key] = flow_yaml(value);
  }
  return settings;
}

/// The units of vcpus that are no vCPU, by workload.
Json units_json(ResultsDatabase& results) {
  Json units = Json::object();
  for (const InputRecord& input : results.inputs()) {
    if (input.vcpus_unit != "1") units[input.label] = input.vcpus_unit;
  }
  return units;
}

/// Replaces values that are the same everywhere by {"all": value}.
void write_constants_once(Json& json) {
  const auto write_once = [](Json& values) {
    const bool is_constant =
        std::ranges::all_of(values, [&values](const Json& one) { return one == values.front(); });
    if (is_constant) values = Json{{"all", Json(values.front())}};
  };
  for (Json& column : json["columns"]) write_once(column["values"]);
  if (json.contains("timeline")) write_once(json["timeline"]["days"]);
}

/// A line for each part. No text can end the script that it stands in.
std::string script_text(const Json& json) {
  std::string text = "{";
  for (const auto& [key, value] : json.items()) {
    text += fmt::format("{}\"{}\":", text.size() > 1 ? ",\n" : "", key);
    if (key != "columns") {
      text += compact_json(value);
      continue;
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      text += (i == 0 ? "[" : ",\n") + compact_json(value[i]);
    }
    text += "]";
  }
  std::string safe;
  for (const char c : text + "}") c == '<' ? safe += "\\u003c" : safe += c;
  return safe;
}

Json report_data(ResultsDatabase& results, const ReportShows& shows) {
  const ExperimentRecord record = results.record();
  const std::vector<GridAxis> axes = results.axes();
  require_on_axes(results, axes);
  const std::vector<std::size_t> runs = results.finished_runs();
  Json samples = samples_json(axes, shows.samples);
  Json json{{"study", record.study},
            {"createdBy", record.created_by},
            {"versions", versions_json(results)},
            {"expectedRuns", record.run_count},
            // All of them are 0, 1, 2, ...
            {"runs", runs.size() == record.run_count ? Json() : Json(runs)},
            {"tQuantiles", t_quantiles(axes, samples)},
            {"samples", std::move(samples)},
            {"axes", axes_json(results.schema(), axes)},
            {"units", units_json(results)},
            {"figures", Json::array()}};
  try {
    json["configuration"] = Json::parse(record.configuration);
    json["settings"] = settings_json(json["configuration"], axes);
  } catch (const Json::exception& error) {
    throw DatabaseError(fmt::format("{}: the configuration in it cannot be read: {}",
                                    results.name(), error.what()));
  }
  Json& columns = json["columns"] = Json::array();
  add_measures(results, columns);
  add_derived(results, columns);
  if (shows.figures) {
    json["figures"] = add_figures(results, *shows.figures, json["columns"]);
    json["best"] = best_json(*shows.figures);
  }
  if (shows.money && shows.prices) {
    add_money(results, *shows.money, *shows.prices, json["columns"]);
  }
  if (!results.schema().timeline.empty()) json["timeline"] = timeline_json(results, shows);
  return json;
}

}  // namespace

std::string report_json(ResultsDatabase& results, const ReportShows& shows) {
  Json json = report_data(results, shows);
  write_constants_once(json);
  return script_text(json);
}

std::string report_json(ResultsDatabase& before, const ReportShows& shows_before,
                        ResultsDatabase& after, const ReportShows& shows_after) {
  Json json = joined_data(report_data(before, shows_before), report_data(after, shows_after),
                          before.name() + " and " + after.name());
  write_constants_once(json);
  return script_text(json);
}

}  // namespace cospot
