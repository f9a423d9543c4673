#include "sim_harness/data/markets/availability_trace.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "core/errors.hpp"
#include "sim_harness/base/json/json_file.hpp"
#include "sim_harness/data/workloads/workload_schema.hpp"

namespace cospot {
namespace {

constexpr double kMaxGapSeconds = 86'400;

SimTime read_tick(JsonFile& file) {
  SqliteStatement gap = file.select("SELECT json_extract(?, '$.metadata.gap_seconds')");
  if (!gap.step() || gap.next_is_null()) file.fail("metadata.gap_seconds is missing");
  const bool is_number =
      gap.next_type() == SqliteType::kInteger || gap.next_type() == SqliteType::kNumber;
  const double seconds = is_number ? gap.read_number() : 0;
  if (!(seconds >= 0.001 && seconds <= kMaxGapSeconds)) {
    file.fail("metadata.gap_seconds: expected a number of seconds from 0.001 to 86400");
  }
  return SimTime(std::llround(seconds * 1e6));
}

}  // namespace

void require_few_ticks(SimTime length, SimTime tick, std::string_view file) {
  constexpr std::int64_t kMostTicks = 10'000'000;
  if (length <= kMaxWindow && length / tick <= kMostTicks) return;
  throw WorkloadError(fmt::format(
      "{}: the trace is {} days long, {} ticks of {:g} s; expected at most 10001 days and {} ticks",
      file, length / kDay, length / tick, std::chrono::duration<double>(tick).count(), kMostTicks));
}

AvailabilityTrace read_availability_trace(const std::filesystem::path& path, SimTime csv_tick,
                                          std::string_view csv_type) {
  if (is_availability_csv(path)) return read_availability_csv(path, csv_tick, csv_type);
  JsonFile file(path);
  AvailabilityTrace trace{.tick = read_tick(file), .capacity = {}};
  SqliteStatement type = file.select("SELECT json_type(?, '$.data')");
  if (!type.step() || type.next_is_null() || type.read_text() != "array") {
    file.fail("data: expected a list with the number of instances to be had at each tick");
  }
  SqliteStatement ticks = file.select("SELECT value FROM json_each(?, '$.data')");
  while (ticks.step()) {
    const SqliteType kind = ticks.next_type();
    const bool is_number = kind == SqliteType::kInteger || kind == SqliteType::kNumber;
    const double count = is_number ? ticks.read_number() : -1;
    if (!(count >= 0 && count <= std::numeric_limits<std::uint32_t>::max())) {
      file.fail(fmt::format("data: tick {}: expected a number of instances that is at least 0",
                            trace.capacity.size()));
    }
    trace.capacity.push_back(static_cast<std::uint32_t>(count));
  }
  require_few_ticks(trace.length(), trace.tick, path.string());
  if (trace.capacity.empty()) file.fail("data: expected at least one tick");
  return trace;
}

}  // namespace cospot
