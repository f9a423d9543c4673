#include "sim_harness/sweeps/sweep_grid.hpp"

#include <fmt/core.h>

#include <charconv>
#include <optional>
#include <system_error>

#include "core/errors.hpp"

namespace cospot {
namespace {

std::optional<std::size_t> parse_count(std::string_view text) {
  std::size_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

SweepGrid::SweepGrid(const Sweep& sweep)
    : lengths_{sweep.workloads.size(), sweep.sizes.size(), sweep.vm.size(), sweep.spot.size(),
               sweep.evictors.size(),  sweep.saf.size(),   sweep.otn.size()} {
  std::size_t product = 1;
  for (const std::size_t length : {lengths_.workload, lengths_.size, lengths_.vm, lengths_.spot,
                                   lengths_.evictor, lengths_.saf, lengths_.otn}) {
    if (length != 0 && product > kMaxRuns / length) {
      throw ConfigError(fmt::format("the sweep has more than {} runs", kMaxRuns));
    }
    product *= length;
  }
  group_count_ = lengths_.workload * lengths_.size * lengths_.vm * lengths_.spot;
  runs_per_group_ = lengths_.evictor * lengths_.saf * lengths_.otn;
}

RunCoordinates SweepGrid::coordinates(std::size_t run_index) const {
  const auto take = [&run_index](std::size_t length) {
    const std::size_t position = run_index % length;
    run_index /= length;
    return position;
  };
  RunCoordinates run;
  run.otn = take(lengths_.otn);
  run.saf = take(lengths_.saf);
  run.evictor = take(lengths_.evictor);
  run.spot = take(lengths_.spot);
  run.vm = take(lengths_.vm);
  run.size = take(lengths_.size);
  run.workload = run_index;
  return run;
}

std::size_t SweepGrid::run_index(const RunCoordinates& run) const {
  std::size_t index = run.workload;
  index = index * lengths_.size + run.size;
  index = index * lengths_.vm + run.vm;
  index = index * lengths_.spot + run.spot;
  index = index * lengths_.evictor + run.evictor;
  index = index * lengths_.saf + run.saf;
  return index * lengths_.otn + run.otn;
}

RunGroup SweepGrid::group(std::size_t group_index) const {
  const std::size_t first_run = group_index * runs_per_group_;
  const RunCoordinates run = coordinates(first_run);
  return {group_index, run.workload, run.size, run.vm, run.spot, first_run, runs_per_group_};
}

RunSettings run_settings(const Sweep& sweep, const RunCoordinates& run, std::size_t hosts) {
  return {.host = sweep.host,
          .hosts = hosts,
          .vm = sweep.vm[run.vm],
          .spot = sweep.spot[run.spot],
          .evictor = sweep.evictors[run.evictor],
          .saf = sweep.saf[run.saf],
          .otn = sweep.otn[run.otn]};
}

Shard parse_shard(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash != std::string_view::npos) {
    const std::optional<std::size_t> number = parse_count(text.substr(0, slash));
    const std::optional<std::size_t> count = parse_count(text.substr(slash + 1));
    if (number && count && *number >= 1 && *number <= *count) return {*number, *count};
  }
  throw ConfigError(fmt::format(
      "--shard {}: expected I/N with 1 <= I <= N, for example 1/3 for the first of three", text));
}

}  // namespace cospot
