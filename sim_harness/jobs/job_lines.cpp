#include "sim_harness/jobs/job_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/errors.hpp"
#include "sim_harness/files/plain_text.hpp"

namespace cospot {

JobLines::JobLines(std::string_view text, std::string_view file)
    : rest_(without_byte_order_mark(text)), file_(file) {
  if (const std::size_t at = find_non_text(rest_); at != std::string_view::npos) {
    const std::string_view before = rest_.substr(0, at);
    number_ = 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
    fail(fmt::format("byte 0x{:02x} is not text, expected SWF or CSV in UTF-8, plain or gzip",
                     static_cast<unsigned char>(rest_[at])));
  }
  while (rest_.ends_with('\n') || rest_.ends_with('\r')) rest_.remove_suffix(1);
}

bool JobLines::next(std::string_view& line) {
  poll_.check();
  if (rest_.empty()) return false;
  line = take_line(rest_);
  ++number_;
  return true;
}

void JobLines::fail(std::string_view what) const {
  throw WorkloadError(fmt::format("{}:{}: {}", file_, std::max<std::size_t>(number_, 1), what));
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool read_number(std::string_view text, double& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && std::isfinite(number);
}

bool read_seconds(std::string_view text, SimTime& time) {
  constexpr double kMostSeconds = 10000 * 366.0 * 86400;
  double seconds = 0;
  if (!read_number(text, seconds) || std::abs(seconds) > kMostSeconds) return false;
  time = SimTime(std::llround(seconds * 1e6));
  return true;
}

}  // namespace cospot
