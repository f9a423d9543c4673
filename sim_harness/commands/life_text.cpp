#include "sim_harness/commands/life_text.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "sim_harness/base/json/json_text.hpp"
#include "sim_harness/base/text/amount_text.hpp"
#include "sim_harness/base/text/text_table.hpp"
#include "sim_harness/studies/compare/compare_schema.hpp"
#include "sim_harness/studies/life/life_keys.hpp"
#include "sim_harness/studies/life/life_schema.hpp"

namespace cospot {
namespace {

/// Calls `use` with every column that `compare` does not have, and its value.
template <class Use>
void for_each_own_column(const LifeResult& result, const Use& use) {
  const std::vector<Column>& columns = life_schema().measures;
  const std::vector<Column>& known = compare_schema().measures;
  const std::vector<Value> values = life_measures(result);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (std::ranges::find(known, columns[i].name, &Column::name) != known.end()) continue;
    use(columns[i], values[i]);
  }
}

std::string amount_of(const Value& value) {
  if (const auto* count = std::get_if<std::int64_t>(&value)) return count_text(*count);
  if (const auto* number = std::get_if<double>(&value)) return amount_text(*number);
  return {};
}

}  // namespace

std::string life_text(const LifeResult& result) {
  bool nothing_happened = true;
  TextTable table;
  table.add_column("disruptions", TextTable::Align::kLeft);
  table.add_column("");
  table.add_column("", TextTable::Align::kLeft);
  for_each_own_column(result, [&](const Column& column, const Value& value) {
    const std::string text = amount_of(value);
    if (text.empty() || text == "0") return;
    table.add_row({column.name, text, column.unit + " " + column.meaning});
    nothing_happened = false;
  });
  return nothing_happened ? "disruptions: nothing happened\n" : table.text();
}

std::string life_result_json(const LifeSettings& life, const LifeResult& result) {
  JsonObject measures;
  for_each_own_column(result, [&](const Column& column, const Value& value) {
    measures.add(column.name, json_value(column, value));
  });
  return JsonObject()
      .add("settings", setting_json(life).dump())
      .add("measures", measures.text())
      .text();
}

}  // namespace cospot
