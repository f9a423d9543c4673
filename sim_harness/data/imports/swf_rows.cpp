#include "sim_harness/data/imports/swf_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/parse_number.hpp"
#include "sim_harness/base/text/plain_text.hpp"

namespace cospot {

SwfRows::Kind SwfRows::read(std::string_view line) {
  constexpr std::string_view kBlanks = " \t";
  line = without_blanks(line);
  // Names in comments are often in an encoding of their own, and say nothing to a program.
  if (line.empty() || line.front() == ';') return Kind::kComment;
  if (find_non_text(line) != std::string_view::npos) {
    fault_ = "the line is not UTF-8 text";
    return Kind::kFault;
  }
  std::size_t count = 0;
  for (; count < kFieldCount && !line.empty(); ++count) {
    written_[count] = line.substr(0, line.find_first_of(kBlanks));
    line.remove_prefix(written_[count].size());
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    const bool is_unknown = written_[count].front() == '-' && parse_number(written_[count]) == -1;
    fields_[count] = is_unknown ? std::string_view() : written_[count];
  }
  if (count < kFieldCount) {
    fault_ = fmt::format("{} fields, expected 18 of an SWF job", count);
    return Kind::kFault;
  }
  if (is_stretch()) return Kind::kStretch;
  const double run = number(kRunTime);
  constexpr double kMicrosecond = 1e-6;
  const double start = number(kSubmitTime) + std::max(number(kWaitTime), 0.0);
  if (run < 0 && std::abs(start + run) < kMicrosecond) fields_[kRunTime] = {};
  return Kind::kJob;
}

bool SwfRows::is_stretch() {
  const auto job = parse_integer<std::int64_t>(fields_[kJobNumber]);
  if (!job) return false;
  const double status = number(kStatus);
  if (status == 2 || status == 3 || status == 4) return whole_jobs_.contains(*job);
  whole_jobs_.insert(*job);
  return false;
}

double SwfRows::number(Field field) const { return parse_number(fields_[field]).value_or(0); }

}  // namespace cospot
