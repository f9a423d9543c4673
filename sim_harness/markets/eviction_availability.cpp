#include "sim_harness/markets/eviction_availability.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "sim_harness/files/line_reader.hpp"

namespace cospot {
namespace {

constexpr std::string_view kHeader = "time_s,event,instance_id,class,";

/// The first four fields of a row.
std::array<std::string_view, 4> fields_of(std::string_view line, const LineReader& reader) {
  std::array<std::string_view, 4> fields;
  for (std::string_view& field : fields) {
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos) reader.fail("expected the columns of an event log");
    field = line.substr(0, comma);
    line.remove_prefix(comma + 1);
  }
  return fields;
}

SimTime time_of(std::string_view text, const LineReader& reader) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || std::abs(seconds) > 1e12) {
    reader.fail("time_s: expected a number of seconds");
  }
  return SimTime(std::llround(seconds * 1e6));
}

/// Marks ticks as they pass.
class Ticks {
 public:
  explicit Ticks(SimTime tick) : trace_{.tick = tick, .capacity = {}} {}

  /// What was there until `time` stays there until `time`.
  void advance(SimTime time) {
    // What happened before time 0 counts only where it lasts.
    if (time >= SimTime(0) && !std::exchange(has_begun_, true)) closed_in_tick_ = !open_;
    const std::int64_t ticks = std::max<std::int64_t>(time / trace_.tick, 0);
    while (static_cast<std::int64_t>(trace_.capacity.size()) < ticks) {
      trace_.capacity.push_back(open_ && !closed_in_tick_ ? 1 : 0);
      closed_in_tick_ = !open_;
    }
  }
  void open() { open_ = true; }
  void close() {
    open_ = false;
    closed_in_tick_ = true;
  }

  AvailabilityTrace trace_;

 private:
  bool has_begun_ = false;  ///< time 0 has come
  bool open_ = true;
  bool closed_in_tick_ = false;  ///< at some time in the tick that is not over yet
};

}  // namespace

AvailabilityTrace read_eviction_availability(const std::filesystem::path& file, SimTime tick) {
  LineReader reader(file);
  std::string_view line;
  if (!reader.next(line) || !line.starts_with(kHeader)) {
    reader.fail("expected the header line of an event log (cospot run --events)");
  }
  Ticks ticks(tick);
  bool any_spot = false;
  while (reader.next(line)) {
    const auto [time, event, id, kind] = fields_of(line, reader);
    const SimTime at = time_of(time, reader);
    if (kind != "spot") continue;
    any_spot = true;
    const bool opens = event == "placement";
    if (!opens && event != "eviction" && event != "rejection") continue;
    ticks.advance(at);
    opens ? ticks.open() : ticks.close();
  }
  if (!any_spot || ticks.trace_.capacity.empty()) reader.fail("expected a log with spots in it");
  return ticks.trace_;
}

}  // namespace cospot
