#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/model/sim_time.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"

namespace cospot {

/// The lines of an SWF log in memory, for messages with `file:line:`.
class JobLines {
 public:
  /// Removes a byte order mark and empty lines at the end; rejects anything but text.
  JobLines(std::string_view text, std::string_view file);

  /// Sets `line` to the next line, without its end. False at the end.
  [[nodiscard]] bool next(std::string_view& line);

  /// Throws a WorkloadError about the line last returned by next().
  [[noreturn]] void fail(std::string_view what) const;

 private:
  std::string_view rest_;
  std::string_view file_;
  std::size_t number_ = 0;  ///< of the line last returned, from 1
  StopPoll poll_;
};

/// Parses all of `text` as seconds, rounded to the microsecond. False: not a number, or beyond
/// 10,000 years.
[[nodiscard]] bool read_seconds(std::string_view text, SimTime& time);

}  // namespace cospot
