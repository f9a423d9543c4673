#include "sim_harness/data/markets/eviction_availability.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "sim_harness/base/tables/table_reader.hpp"
#include "sim_harness/data/workloads/series_span.hpp"

namespace cospot {
namespace {

enum EventColumn : std::size_t { kEventTime, kEvent, kClass };
constexpr std::array<TableColumn, 3> kEventColumns{{{"time_s"}, {"event"}, {"class"}}};
constexpr TableFormat kEventFormat{
    .columns = kEventColumns, .rows = "events", .has_other_columns = true};

/// Marks ticks as they pass.
class Ticks {
 public:
  explicit Ticks(SimTime tick) : trace_{.tick = tick, .capacity = {}} {}

  /// Extends the present state to `time`.
  void advance(SimTime time) {
    // Events before time 0 count only for the state that they leave behind.
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
  TableReader table(file, kEventFormat);
  Ticks ticks(tick);
  SeriesSpan span;
  bool any_spot = false;
  while (table.next()) {
    const SimTime at = table.seconds(kEventTime);
    span.take(table, kEventTime, at);
    require_few_ticks(at, tick, file.string());
    const std::string_view event = table.field(kEvent);
    if (table.field(kClass) != "spot") continue;
    any_spot = true;
    const bool opens = event == "placement";
    if (!opens && event != "eviction" && event != "rejection") continue;
    ticks.advance(at);
    opens ? ticks.open() : ticks.close();
  }
  if (!any_spot || ticks.trace_.capacity.empty()) table.fail("expected a log with spots in it");
  return ticks.trace_;
}

}  // namespace cospot
