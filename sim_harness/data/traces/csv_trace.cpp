#include "sim_harness/data/traces/csv_trace.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sim_harness/base/tables/table_reader.hpp"
#include "sim_harness/data/traces/trace_fields.hpp"

namespace cospot {
namespace {

/// Calls `take` with the values of each row. It returns what is wrong with them, or an empty text.
void read_rows(const std::filesystem::path& file, std::span<const std::string_view> names,
               const std::function<std::string(std::span<const TraceValue>)>& take) {
  std::vector<TableColumn> columns;
  for (const std::string_view name : names) columns.push_back({name});
  TableReader table(file, {.columns = columns, .has_other_columns = true});
  std::vector<TraceValue> values(columns.size());
  while (table.next()) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = parse_trace_value(table.field(i));
    if (const std::string fault = take(values); !fault.empty()) table.fail(fault);
  }
}

}  // namespace

CsvTrace::CsvTrace(std::filesystem::path requests, std::filesystem::path types)
    : requests_(std::move(requests)), types_(std::move(types)) {}

std::vector<TypeShare> CsvTrace::read_shares() {
  std::vector<TypeShare> shares;
  read_rows(types_, kShareColumns, [&](std::span<const TraceValue> values) {
    return read_type_share(values, shares.emplace_back());
  });
  sort_shares(shares, types_.string());
  return shares;
}

std::map<std::int64_t, std::uint64_t> CsvTrace::count_requests() {
  std::map<std::int64_t, std::uint64_t> counts;
  read_requests([&](const TraceRequest& request) { ++counts[request.vm_type]; });
  return counts;
}

void CsvTrace::read_requests(const std::function<void(const TraceRequest&)>& take) {
  TraceRequest request;
  read_rows(requests_, kRequestColumns, [&](std::span<const TraceValue> values) {
    std::string fault = read_trace_request(values, request);
    if (fault.empty()) take(request);
    return fault;
  });
}

}  // namespace cospot
