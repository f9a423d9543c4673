#include "sim_harness/usage/usage_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/files/line_reader.hpp"
#include "sim_harness/files/plain_text.hpp"
#include "sim_harness/files/separated_fields.hpp"
#include "sim_harness/files/stored_file.hpp"
#include "sim_harness/imports/timestamps.hpp"
#include "sim_harness/interrupt/stop_token.hpp"

namespace cospot {
namespace {

enum Column : std::size_t { kTime, kCapacity, kUsed, kReserved, kLimit, kColumns };

constexpr std::array<std::string_view, kColumns> kNames{"time_s", "capacity", "used", "reserved",
                                                        "limit"};
constexpr std::string_view kHeader = "time_s,capacity,used[,reserved,limit]";

/// Rounds to millionths. Nothing: not a number, or outside [least, most].
std::optional<std::int64_t> parse_millionths(std::string_view text, double least, double most) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end || !(value >= least && value <= most)) {
    return std::nullopt;  // written so that NaN fails
  }
  return std::llround(value * static_cast<double>(kSlackUnit));
}

class UsageReader {
 public:
  explicit UsageReader(const std::filesystem::path& file) : reader_(file) { read_header(file); }

  bool next(UsageSample& sample) {
    std::string_view line;
    if (!reader_.next(line)) return false;
    split_fields(line, fields_);
    if (fields_.size() != columns_) {
      reader_.fail(fmt::format("{} fields, expected {} as in the header line",
                               line.empty() ? 0 : fields_.size(), columns_));
    }
    sample.time = read_time();
    if (before_ && sample.time <= *before_) {
      reader_.fail(fmt::format("time_s {} is not after that of the line before",
                               quoted_excerpt(fields_[at_[kTime]])));
    }
    before_ = sample.time;
    constexpr double kMost = static_cast<double>(kMaxSlackAmount) / kSlackUnit;
    constexpr std::string_view kAmount = "an amount from 0 to 10^9";
    sample.capacity = read(kCapacity, 1e-6, kMost, "an amount more than 0, at most 10^9");
    sample.used = read(kUsed, 0, kMost, kAmount);
    if (has(kReserved)) sample.reserved = read(kReserved, 0, kMost, kAmount);
    if (has(kLimit)) sample.limit = read(kLimit, 0, kMost, kAmount);
    return true;
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] bool has(Column column) const { return at_[column] != kNone; }

  void read_header(const std::filesystem::path& file) {
    std::string_view line;
    if (!reader_.next(line)) {
      throw WorkloadError(fmt::format("{}:1: the file is empty, expected the header line {}",
                                      file.string(), kHeader));
    }
    at_.fill(kNone);
    std::vector<std::string_view> names;
    split_fields(without_byte_order_mark(line), names);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto found = std::ranges::find(kNames, names[i]);
      if (found == kNames.end()) {
        reader_.fail(
            fmt::format("unknown column {}, expected {}", quoted_excerpt(names[i]), kHeader));
      }
      std::size_t& at = at_[static_cast<std::size_t>(found - kNames.begin())];
      if (at != kNone) reader_.fail(fmt::format("the column '{}' comes twice", names[i]));
      at = i;
    }
    for (const Column column : {kTime, kCapacity, kUsed}) {
      if (has(column)) continue;
      reader_.fail(fmt::format("the column '{}' is missing, expected {}", kNames[column], kHeader));
    }
    columns_ = names.size();
  }

  /// A number of seconds, or a date as `cospot workload import` reads it.
  SimTime read_time() {
    constexpr double kMostSeconds = 1e11;  // the year 5138, counted from 1970
    const std::string_view field = fields_[at_[kTime]];
    if (const auto value = parse_millionths(field, -kMostSeconds, kMostSeconds)) {
      return SimTime(*value);
    }
    if (const auto date = parse_date_time(field)) return *date;
    reader_.fail(fmt::format(
        "time_s is {}, expected a time in seconds, or a date such as 2024-05-01T12:00:00Z",
        field.empty() ? "empty" : quoted_excerpt(field)));
  }

  std::int64_t read(Column column, double least, double most, std::string_view expected) {
    const std::string_view field = fields_[at_[column]];
    if (const auto value = parse_millionths(field, least, most)) return *value;
    reader_.fail(fmt::format("{} is {}, expected {}", kNames[column],
                             field.empty() ? "empty" : quoted_excerpt(field), expected));
  }

  LineReader reader_;
  std::array<std::size_t, kColumns> at_{};  // of each column in a line
  std::size_t columns_ = 0;                 // of the file
  std::vector<std::string_view> fields_;
  std::optional<SimTime> before_;
};

}  // namespace

UsageSeries read_usage(const std::filesystem::path& file) {
  UsageSeries usage{.name = file.string(), .sha256 = sha256_hex(read_stored_file(file))};
  UsageReader reader(file);
  UsageSample sample;
  StopPoll poll;
  while (reader.next(sample)) {
    poll.check();
    usage.samples.push_back(sample);
  }
  if (usage.samples.size() < 2) {
    throw WorkloadError(fmt::format("{}: there are {} samples, expected at least 2", usage.name,
                                    usage.samples.size()));
  }
  return usage;
}

bool is_usage_file(const std::filesystem::path& file) {
  LineReader reader(file);
  std::string_view line;
  if (!reader.next(line)) return false;
  std::vector<std::string_view> names;
  split_fields(without_byte_order_mark(line), names);
  return std::ranges::find(names, kNames[kTime]) != names.end();
}

}  // namespace cospot
