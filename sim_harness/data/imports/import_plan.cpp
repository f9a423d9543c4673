#include "sim_harness/data/imports/import_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/errors.hpp"

namespace cospot {
namespace {

PlannedExpression planned(std::string_view option, const std::optional<std::string>& given,
                          const Candidates& candidates) {
  if (given) return {std::string(option), {*given}, true};
  return {std::string(option), {candidates.begin(), candidates.end()}, false};
}

/// Takes in `text`, one of `maps`.
void read_map(const std::string& text, const std::vector<std::string>& maps, ImportPlan& plan) {
  const std::size_t equals = text.find('=');
  const std::string_view name = std::string_view(text).substr(0, equals);
  const auto known = std::ranges::find(kImportTargetInfos, name, &ImportTargetInfo::name);
  if (equals == std::string::npos || known == kImportTargetInfos.end()) {
    std::vector<std::string_view> names;
    for (const ImportTargetInfo& info : kImportTargetInfos) names.push_back(info.name);
    throw ConfigError(fmt::format("--map: found '{}', expected NAME=COLUMN; the names are {}", text,
                                  fmt::join(names, ", ")));
  }
  const auto same = [&](const std::string& other) {
    return &other != &text && other.substr(0, other.find('=')) == name;
  };
  if (std::ranges::any_of(maps, same)) {
    throw ConfigError(fmt::format("--map {} is given twice, expected once", name));
  }
  const std::string expression = text.substr(equals + 1);
  if (expression.empty()) {
    throw ConfigError(fmt::format("--map {}: expected a column, or an expression", text));
  }
  plan.map[static_cast<std::size_t>(known->target)] = {
      fmt::format("--map {}", name), {expression}, true};
}

bool read_end(const std::string& text) {
  if (text == "end_time") return false;
  if (text == "duration") return true;
  throw ConfigError(fmt::format("--end: found '{}', expected end_time or duration", text));
}

void plan_shape(const ImportOptions& options, ImportPlan& plan) {
  if (!options.columns.empty()) {
    plan.shape.columns = options.columns;
    plan.shape.has_header = false;
  }
  if (options.separator) plan.shape.separator = parse_separator(*options.separator, "--separator");
}

TimeZone planned_zone(const std::string& name, const ImportFormat& format, TimeUnit unit) {
  constexpr std::string_view kOption = "--time-zone";
  TimeZone zone = TimeZone::named(name, kOption);
  if (unit != TimeUnit::kIso) {
    throw ConfigError(
        fmt::format("{}: the times are numbers, which have no time zone; expected it "
                    "with --time-unit iso only",
                    kOption));
  }
  // Its reports state their period in UTC, as its database keeps all times.
  if (!format.shape.json_reports.empty()) {
    throw ConfigError(fmt::format("{}: the format {} has its times in UTC", kOption, format.name));
  }
  return zone;
}

/// Rejects options without the values that have no default.
void check_complete(const ImportOptions& options, const ImportPlan& plan) {
  if (!plan.spot_if.is_given()) {
    throw ConfigError(
        "--spot-if is missing: which requests are spots? A condition on the columns, such as "
        "--spot-if 'priority < 100' or --spot-if \"tier in ('free', 'batch')\"; 0 for none");
  }
  if (options.format.empty() && !options.time_unit) {
    throw ConfigError("--time-unit is missing, expected one of: s, ms, us, days, iso");
  }
  if (plan.end_when.is_given() && !plan.start_when.is_given()) {
    throw ConfigError("--end-when is given without --start-when, expected both or none");
  }
  if (plan.of(ImportTarget::kGroup).is_given() != plan.of(ImportTarget::kGroupPolicy).is_given()) {
    throw ConfigError(
        "--map group= and --map group_policy= belong together, expected both or none; for one "
        "policy: --map \"group_policy='anti-affinity'\"");
  }
}

}  // namespace

bool ImportPlan::has_placements() const {
  return std::ranges::any_of(kImportTargetInfos, [&](const ImportTargetInfo& info) {
    return asks_beside_room(info.target) && of(info.target).is_given();
  });
}

char parse_separator(const std::string& text, std::string_view where) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() == 1 && text != "\"") return text.front();
  throw ConfigError(fmt::format("{}: found '{}', expected one sign, or tab", where, text));
}

ImportPlan plan_import(const ImportOptions& options) {
  const ImportFormat& format = options.format.empty()
                                   ? plain_import_format()
                                   : find_import_format(options.format, options.files.front());
  ImportPlan plan{.shape = format.shape,
                  .unit = options.time_unit ? find_time_unit(*options.time_unit) : format.unit,
                  .end_is_duration = options.end ? read_end(*options.end) : format.end_is_duration,
                  .vcpus_unit = stated_vcpus_unit(
                      "--vcpus-unit", options.vcpus_unit.value_or(std::string(format.vcpus_unit)))};
  for (const ImportRule& rule : format.map) {
    const auto target = static_cast<std::size_t>(rule.target);
    plan.map[target] =
        planned(fmt::format("--map {}", kImportTargetInfos[target].name), {}, rule.expressions);
    plan.map[target].hint = rule.hint;
  }
  for (const std::string& text : options.map) read_map(text, options.map, plan);
  if (options.flavors) plan.flavors = std::make_shared<const FlavorSizes>(*options.flavors);
  const std::size_t sizes =
      plan.map[static_cast<std::size_t>(ImportTarget::kVcpus)].candidates.size();
  plan.expects_flavors = format.has_flavors && !plan.flavors && sizes > 1;
  plan.spot_if = planned("--spot-if", options.spot_if, format.spot_if);
  plan.only = planned("--only", options.only, format.only);
  plan.start_when = planned("--start-when", options.start_when, format.start_when);
  plan.end_when = planned("--end-when", options.end_when, format.end_when);
  // A table of events that the user describes has no other kinds of rows.
  if (!options.start_when && !options.end_when) {
    plan.resize_when = planned("resizes", {}, format.resize_when);
  }
  plan.over_if = planned("states without a host", {}, format.over_if);
  plan.is_purged = format.is_purged;
  plan.rows_of_page = format.rows_of_page;
  if (options.time_zone) plan.zone = planned_zone(*options.time_zone, format, plan.unit);
  plan_shape(options, plan);
  check_complete(options, plan);
  return plan;
}

}  // namespace cospot
