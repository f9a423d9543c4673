#include "sim_harness/data/workloads/load_workload.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "core/errors.hpp"
#include "core/parse_number.hpp"
#include "sim_harness/data/workloads/csv_workload.hpp"
#include "sim_harness/data/workloads/window.hpp"

namespace cospot {
namespace {

constexpr std::string_view kModel = "azure2020";

void read_part(std::string_view part, std::string_view recipe, SyntheticSpec& spec) {
  const std::size_t equals = part.find('=');
  const std::string_view key = part.substr(0, equals);
  const std::string_view value =
      equals == std::string_view::npos ? std::string_view() : part.substr(equals + 1);
  const auto reject = [&](std::string_view expected) {
    throw ConfigError(
        fmt::format("workload '{}': found '{}', expected {}", recipe, part, expected));
  };
  if (key == "seed") {
    // Up to 63 bits, as in sweep files.
    const auto seed = parse_integer<std::int64_t>(value);
    if (!seed || *seed < 0) reject("seed=, a whole number from 0 to 2^63 - 1");
    spec.seed = static_cast<std::uint64_t>(*seed);
  } else if (key == "scale") {
    const std::optional<double> scale = parse_number(value);
    if (!scale) reject("scale=, a number from 0.0001 to 1");
    spec.scale = *scale;
  } else if (key == "sampling") {
    spec.sampling = parse_zone_sampling(std::string(value));
  } else {
    reject("one of: seed=, scale=, sampling=");
  }
}

}  // namespace

Workload load_workload(const WorkloadSpec& spec) {
  return load_workload(spec, WorkloadClasses::kVmsAndSpots);
}

Workload load_workload(const WorkloadSpec& spec, WorkloadClasses classes) {
  Workload workload = spec.made        ? *spec.made
                      : spec.synthetic ? generate_workload(*spec.synthetic)
                                       : read_workload(spec.file, classes);
  workload.name = spec.label;
  state_window(workload, spec.window);
  return workload;
}

VcpusUnit vcpus_unit_of(const WorkloadSpec& spec) {
  if (spec.made) return spec.made_unit;
  return spec.synthetic ? kModelUnit : read_vcpus_unit(spec.file);
}

bool names_model(std::string_view text) {
  return text == kModel || text.starts_with(std::string(kModel) + ":");
}

WorkloadSpec parse_workload_spec(std::string_view text) {
  WorkloadSpec spec{.label = std::string(text), .file = std::string(text), .synthetic = {}};
  std::error_code ignored;
  if (!names_model(text) || std::filesystem::exists(spec.file, ignored)) return spec;
  spec.file.clear();
  SyntheticSpec& recipe = spec.synthetic.emplace();
  std::size_t colon = text.find(':');
  while (colon != std::string_view::npos) {
    const std::size_t next = text.find(':', colon + 1);
    read_part(text.substr(colon + 1, next - colon - 1), text, recipe);
    colon = next;
  }
  return spec;
}

}  // namespace cospot
