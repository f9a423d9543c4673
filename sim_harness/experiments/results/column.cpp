#include "sim_harness/experiments/results/column.hpp"

#include <fmt/core.h>

#include "sim_harness/base/tables/separated_fields.hpp"

namespace cospot {

std::string_view column_type_name(ColumnType type) {
  switch (type) {
    case ColumnType::kText:
      return "text";
    case ColumnType::kInteger:
      return "integer";
    case ColumnType::kNumber:
      return "number";
    case ColumnType::kBoolean:
      return "boolean";
    case ColumnType::kRevenue:
      return "revenue";
    case ColumnType::kIntegerOrText:
      break;
  }
  return "integer_or_text";
}

std::string_view column_role_name(ColumnRole role) {
  switch (role) {
    case ColumnRole::kAxis:
      return "axis";
    case ColumnRole::kMeasure:
      return "measure";
    case ColumnRole::kTime:
      return "time";
    case ColumnRole::kDetail:
      return "detail";
    case ColumnRole::kDerived:
      return "derived";
    case ColumnRole::kTimeline:
      break;
  }
  return "timeline";
}

std::vector<Column> Schema::columns() const {
  std::vector<Column> all = axes;
  all.insert(all.end(), measures.begin(), measures.end());
  return all;
}

std::string csv_value(const Column& column, const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  if (const auto* text = std::get_if<std::string>(&value)) return csv_field(*text);
  if (const auto* revenue = std::get_if<Revenue>(&value)) return revenue_text(*revenue);
  if (const auto* number = std::get_if<double>(&value)) {
    return column.decimals < 0 ? fmt::format("{}", *number)
                               : fmt::format("{:.{}f}", *number, column.decimals);
  }
  return {};
}

Json json_of(const Column& column, const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return column.type == ColumnType::kBoolean ? Json(*integer != 0) : Json(*integer);
  }
  if (const auto* revenue = std::get_if<Revenue>(&value)) return json_of(vcpu_seconds(*revenue));
  if (const auto* number = std::get_if<double>(&value)) return json_of(*number);
  return nullptr;
}

Column derived_fraction(const char* name, const char* meaning) {
  return {.name = name,
          .role = ColumnRole::kDerived,
          .type = ColumnType::kNumber,
          .unit = "fraction",
          .meaning = meaning,
          .may_be_null = true};
}

}  // namespace cospot
