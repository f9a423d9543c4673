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
  /// Takes a byte order mark and the empty lines at the end off; refuses what is not text.
  JobLines(std::string_view text, std::string_view file);

  /// Sets `line` to the next line, without its end. False when there is none.
  [[nodiscard]] bool next(std::string_view& line);

  /// Throws a WorkloadError about the line that next() gave last.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  std::string_view rest_;
  std::string_view file_;
  std::size_t number_ = 0;  ///< of the line that was given last, from 1
  StopPoll poll_;
};

/// Reads all of `text` as a number of seconds, rounded to the microsecond. False: not a number, or
/// beyond 10,000 years.
[[nodiscard]] bool read_seconds(std::string_view text, SimTime& time);

}  // namespace cospot
