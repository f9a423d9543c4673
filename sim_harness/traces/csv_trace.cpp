#include "sim_harness/traces/csv_trace.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/files/line_reader.hpp"
#include "sim_harness/files/plain_text.hpp"
#include "sim_harness/files/separated_fields.hpp"
#include "sim_harness/traces/trace_fields.hpp"

namespace cospot {
namespace {

/// The rows of a CSV file: the values of `columns`, wherever the header line has them.
class CsvRows {
 public:
  CsvRows(const std::filesystem::path& file, std::span<const std::string_view> columns)
      : reader_(file) {
    std::string_view line;
    if (!reader_.next(line)) {
      throw WorkloadError(
          fmt::format("{}:1: the file is empty, expected a header line with the columns {}",
                      file.string(), fmt::join(columns, ",")));
    }
    split_fields(without_byte_order_mark(line), fields_);
    for (const std::string_view column : columns) {
      const auto found = std::ranges::find(fields_, column);
      if (found == fields_.end()) {
        reader_.fail(fmt::format("the column '{}' is missing, expected {}", column,
                                 fmt::join(columns, ",")));
      }
      positions_.push_back(static_cast<std::size_t>(found - fields_.begin()));
    }
    columns_in_file_ = fields_.size();
    values_.resize(columns.size());
  }

  bool next() {
    std::string_view line;
    if (!reader_.next(line)) return false;
    split_fields(line, fields_);
    if (fields_.size() != columns_in_file_) {
      fail(fmt::format("{} fields, expected {} as in the header line",
                       line.empty() ? 0 : fields_.size(), columns_in_file_));
    }
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      values_[i] = parse_trace_value(fields_[positions_[i]]);
    }
    return true;
  }

  [[nodiscard]] std::span<const TraceValue> values() const { return values_; }
  [[noreturn]] void fail(std::string_view what) const { reader_.fail(what); }

 private:
  LineReader reader_;
  std::vector<std::string_view> fields_;
  std::vector<std::size_t> positions_;
  std::size_t columns_in_file_ = 0;
  std::vector<TraceValue> values_;
};

}  // namespace

CsvTrace::CsvTrace(std::filesystem::path requests, std::filesystem::path types)
    : requests_(std::move(requests)), types_(std::move(types)) {}

std::vector<TypeShare> CsvTrace::read_shares() {
  std::vector<TypeShare> shares;
  CsvRows rows(types_, kShareColumns);
  while (rows.next()) {
    const std::string fault = read_type_share(rows.values(), shares.emplace_back());
    if (!fault.empty()) rows.fail(fault);
  }
  sort_shares(shares, types_.string());
  return shares;
}

std::map<std::int64_t, std::uint64_t> CsvTrace::count_requests() {
  std::map<std::int64_t, std::uint64_t> counts;
  read_requests([&](const TraceRequest& request) { ++counts[request.vm_type]; });
  if (counts.empty()) {
    throw WorkloadError(fmt::format("{}: has a header line but no requests", requests_.string()));
  }
  return counts;
}

void CsvTrace::read_requests(const std::function<void(const TraceRequest&)>& take) {
  CsvRows rows(requests_, kRequestColumns);
  TraceRequest request;
  while (rows.next()) {
    const std::string fault = read_trace_request(rows.values(), request);
    if (!fault.empty()) rows.fail(fault);
    take(request);
  }
}

}  // namespace cospot
