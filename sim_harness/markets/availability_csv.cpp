#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/files/line_reader.hpp"
#include "sim_harness/files/plain_text.hpp"
#include "sim_harness/files/separated_fields.hpp"
#include "sim_harness/jobs/job_lines.hpp"
#include "sim_harness/markets/availability_trace.hpp"
#include "sim_harness/markets/price_files.hpp"

namespace cospot {
namespace {

/// From a time on.
struct Row {
  Seconds time = 0;
  std::uint32_t capacity = 0;
  std::optional<MicroUsd> price{};

  // NOLINTNEXTLINE(modernize-use-nullptr) of a comparison that is defaulted
  friend auto operator<=>(const Row&, const Row&) = default;
};

/// Reads the rows below the header line.
class RowReader {
 public:
  RowReader(std::string_view header, const LineReader& reader) : reader_(reader) {
    split_fields(header, fields_);
    width_ = fields_.size();
    for (std::size_t i = 0; i < width_; ++i) {
      const std::string_view name = without_blanks(fields_[i]);
      if (name == "time") time_ = i;
      if (name == "available") available_ = i;
      if (name == "price") price_ = i;
    }
    if (time_ && available_) return;
    reader.fail(
        fmt::format("the header line is {}, expected the columns time,available[,price]; "
                    "a price alone does not say whether there is capacity",
                    quoted_excerpt(header)));
  }

  [[nodiscard]] Row read(std::string_view line) {
    split_fields(line, fields_);
    if (fields_.size() != width_) {
      reader_.fail(
          fmt::format("{} fields, expected {} as in the header line", fields_.size(), width_));
    }
    Row row;
    const std::optional<Seconds> time = parse_time(text(*time_));
    if (!time) refuse("time", *time_, "seconds since 1970 or ISO 8601 in UTC");
    row.time = *time;
    double available = 0;
    if (!read_number(text(*available_), available) || available < 0 ||
        available > std::numeric_limits<std::int32_t>::max()) {
      refuse("available", *available_, "a number of instances from 0");
    }
    row.capacity = static_cast<std::uint32_t>(available);
    if (!price_ || (text(*price_).empty() && row.capacity == 0)) return row;
    row.price = parse_price(text(*price_));
    if (!row.price) refuse("price", *price_, "USD an hour above 0");
    return row;
  }

 private:
  [[nodiscard]] std::string_view text(std::size_t column) const {
    return without_blanks(fields_[column]);
  }
  [[noreturn]] void refuse(std::string_view name, std::size_t column,
                           std::string_view expected) const {
    reader_.fail(
        fmt::format("{} is {}, expected {}", name, quoted_excerpt(text(column)), expected));
  }

  const LineReader& reader_;
  std::size_t width_ = 0;
  std::optional<std::size_t> time_, available_, price_;
  std::vector<std::string_view> fields_;
};

std::vector<Row> read_rows(const std::filesystem::path& file) {
  LineReader reader(file);
  std::string_view line;
  if (!reader.next(line)) reader.fail("the file is empty, expected a header line and rows");
  RowReader fields(without_byte_order_mark(line), reader);
  std::vector<Row> rows;
  while (reader.next(line)) {
    if (!line.empty()) rows.push_back(fields.read(line));
  }
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].time != rows[i - 1].time) continue;
    throw WorkloadError(
        fmt::format("{}: has two different rows at time {}", file.string(), rows[i].time));
  }
  return rows;
}

/// The mean over the time with capacity; the last row only says when that ends.
std::optional<double> mean_price(const std::vector<Row>& rows) {
  double sum = 0, seconds = 0;
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    if (rows[i].capacity == 0 || !rows[i].price) continue;
    const auto lasts = static_cast<double>(rows[i + 1].time - rows[i].time);
    sum += lasts * static_cast<double>(*rows[i].price);
    seconds += lasts;
  }
  if (seconds == 0) return std::nullopt;
  return std::round(sum / seconds) / static_cast<double>(kUsd);
}

}  // namespace

bool is_availability_csv(const std::filesystem::path& file) {
  return file.filename().string().find(".csv") != std::string::npos;
}

AvailabilityTrace read_availability_csv(const std::filesystem::path& file, SimTime tick) {
  const std::vector<Row> rows = read_rows(file);
  AvailabilityTrace trace{.tick = tick, .capacity = {}, .spot_price = mean_price(rows)};
  const auto time_of = [&rows](std::size_t i) {
    return SimTime(std::chrono::seconds(rows[i].time - rows.front().time));
  };
  std::size_t row = 0;  // that holds when the tick begins
  for (SimTime begin{0}; !rows.empty() && begin + tick <= time_of(rows.size() - 1); begin += tick) {
    while (time_of(row + 1) <= begin) ++row;
    std::uint32_t least = rows[row].capacity;
    for (std::size_t i = row + 1; i < rows.size() && time_of(i) < begin + tick; ++i) {
      least = std::min(least, rows[i].capacity);
    }
    trace.capacity.push_back(least);
  }
  if (trace.capacity.empty()) {
    throw WorkloadError(fmt::format(
        "{}: its rows span less than a tick of {:g} s, expected a last row that says when it ends",
        file.string(), std::chrono::duration<double>(tick).count()));
  }
  return trace;
}

}  // namespace cospot
