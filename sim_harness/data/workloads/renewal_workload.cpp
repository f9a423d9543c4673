#include "sim_harness/data/workloads/renewal_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/errors.hpp"
#include "core/portable_math.hpp"
#include "core/random.hpp"

namespace cospot {
namespace {

constexpr double kMicroseconds = 1e6;
constexpr double kSecondsPerDay = 86400;

SimTime in_microseconds(double seconds) {
  return SimTime(static_cast<std::int64_t>(seconds * kMicroseconds));
}

double draw(const Lognormal& lognormal, Random& random) {
  return portable_exp(lognormal.mu + lognormal.sigma * random.normal());
}

}  // namespace

Workload generate_lognormal(const LognormalSpec& spec, std::uint64_t seed) {
  Random random(seed);
  Workload workload{.name = "lognormal", .window = in_microseconds(spec.days * kSecondsPerDay)};
  double now = draw(spec.interarrival, random);
  while (in_microseconds(now) < workload.window) {
    WorkloadRow row{.id = fmt::format("r{}", workload.rows.size()),
                    .resources = {.vcpus = spec.vcpus},
                    .start = in_microseconds(now)};
    row.end = in_microseconds(now + draw(spec.lifetime, random));
    workload.rows.push_back(std::move(row));
    now += draw(spec.interarrival, random);
  }
  return workload;
}

std::span<const StandIn> stand_ins() {
  // DS2's sizes are published; of the others only the number of instances, the days, the mean load
  // and the largest size are, and what lies between is chosen.
  static const std::vector<StandIn> all{
      {"ds2", 283.9, 18.60, 6, 2.0, {{1, 296}, {2, 407}, {4, 119}, {8, 27}, {12, 51}}},
      {"ds3", 279.8, 7.34, 8, 2.0, {{1, 1700}, {2, 700}, {4, 200}}},
      {"ds5",
       33.4,
       565.5,
       5,
       2.5,
       {{1, 3400}, {2, 2600}, {4, 1500}, {8, 700}, {16, 200}, {24, 56}}},
      {"ds6",
       34.7,
       639.6,
       2,
       3.0,
       {{1, 1500}, {2, 1300}, {4, 800}, {8, 400}, {16, 120}, {30, 37}}}};
  return all;
}

const StandIn& find_stand_in(std::string_view name) {
  std::string valid;
  for (const StandIn& trace : stand_ins()) {
    if (trace.name == name) return trace;
    valid += fmt::format("{}{}", valid.empty() ? "" : ", ", trace.name);
  }
  throw ConfigError(fmt::format("unknown stand-in '{}', expected one of: {}", name, valid));
}

double mean_vcpus(std::span<const WorkloadRow> rows, SimTime from, SimTime to) {
  double sum = 0;
  for (const WorkloadRow& row : rows) {
    const SimTime held = std::min(row.end, to) - std::max(row.start, from);
    if (held > SimTime{0}) sum += row.resources.vcpus * static_cast<double>(held.count());
  }
  return sum / static_cast<double>((to - from).count());
}

namespace {

/// The sizes of a trace in random order.
std::vector<ResourceAmount> shuffled_sizes(const StandIn& trace, Random& random) {
  std::vector<ResourceAmount> sizes;
  for (const StandIn::Size& size : trace.sizes) {
    sizes.insert(sizes.end(), static_cast<std::size_t>(size.count), size.vcpus);
  }
  for (std::size_t i = sizes.size(); i > 1; --i) std::swap(sizes[i - 1], sizes[random.below(i)]);
  return sizes;
}

/// The values drawn for an instance of a stand-in, before the length of lives in seconds is known.
struct Draw {
  SimTime burst{0};     ///< when it starts, unless it ran when the trace began
  double life = 0;      ///< to be scaled
  double early = 0;     ///< uniform: whether it ran when the trace began
  double residual = 0;  ///< uniform: the part of its life that was left then
};

/// Places the draws with lives of `scale` seconds and returns the mean load that makes. As in a
/// cloud that did not start empty: of the instances with life L that a window T sees, L / (L + T)
/// ran when it began, with a uniform part of their life left.
double place(Workload& workload, std::span<const Draw> draws, double scale) {
  constexpr double kLongest = 1e9;
  const double window = static_cast<double>(workload.window.count()) / kMicroseconds;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double life = std::min(kLongest, draws[i].life * scale);
    const bool ran_before = draws[i].early < life / (life + window);
    WorkloadRow& row = workload.rows[i];
    row.start = ran_before ? SimTime{0} : draws[i].burst;
    const SimTime lives =
        in_microseconds(ran_before ? life * draws[i].residual : life) + SimTime(1);
    row.end = row.start + std::min(workload.window - row.start, lives);
  }
  return mean_vcpus(workload.rows, SimTime{0}, workload.window);
}

/// Stretches the lives until the mean load is the trace's.
void reach_mean(Workload& workload, std::span<const Draw> draws, double mean) {
  double low = 1e-3;
  double high = 1e9;
  for (int step = 0; step < 60; ++step) {
    const double middle = std::sqrt(low * high);
    (place(workload, draws, middle) < mean ? low : high) = middle;
  }
}

}  // namespace

Workload generate_stand_in(const StandIn& trace, std::uint64_t seed) {
  Random random(seed);
  Workload workload{.name = std::string(trace.name),
                    .window = in_microseconds(trace.days * kSecondsPerDay)};
  std::vector<Draw> draws;
  SimTime burst{0};
  const auto span = static_cast<std::uint64_t>(workload.window.count());
  for (const ResourceAmount vcpus : shuffled_sizes(trace, random)) {
    const bool starts_burst = draws.empty() || random.uniform() * trace.mean_burst < 1;
    if (starts_burst) burst = SimTime(static_cast<std::int64_t>(random.below(span)));
    // Within a burst starts are half a minute apart.
    burst = std::min(burst + in_microseconds(random.exponential(1.0 / 30)),
                     workload.window - SimTime(2));
    draws.push_back({.burst = burst,
                     .life = draw({.mu = 0, .sigma = trace.lifetime_sigma}, random),
                     .early = random.uniform(),
                     .residual = random.uniform()});
    workload.rows.push_back({.resources = {.vcpus = vcpus}});
  }
  reach_mean(workload, draws, trace.mean_vcpus);
  std::ranges::stable_sort(workload.rows, {}, &WorkloadRow::start);
  for (std::size_t i = 0; i < workload.rows.size(); ++i) {
    workload.rows[i].id = fmt::format("r{}", i);
  }
  return workload;
}

}  // namespace cospot
