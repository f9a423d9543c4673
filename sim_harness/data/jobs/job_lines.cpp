#include "sim_harness/data/jobs/job_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors.hpp"
#include "core/parse_number.hpp"
#include "sim_harness/base/tables/table_reader.hpp"
#include "sim_harness/base/text/plain_text.hpp"

namespace cospot {

JobLines::JobLines(std::string_view text, std::string_view file)
    : rest_(without_byte_order_mark(text)), file_(file) {
  if (const std::size_t at = find_non_text(rest_); at != std::string_view::npos) {
    const std::string_view before = rest_.substr(0, at);
    number_ = 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
    fail(non_text_fault(rest_[at]));
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

bool read_seconds(std::string_view text, SimTime& time) {
  const std::optional<double> seconds = parse_number(text);
  if (!seconds || std::abs(*seconds) > TableReader::kMostSeconds) return false;
  time = SimTime(std::llround(*seconds * 1e6));
  return true;
}

}  // namespace cospot
