#include "tests/cpp/reference_policies.hpp"

#include <cstdlib>

#include "core/errors.hpp"

namespace cospot::reference {

Policy parse_vm_policy(const std::string& name) {
  for (const char* known : {"UTIL", "UTIL:used", "UTIL:fraction", "COS", "DPD", "FirstFit",
                            "FewestSpots", "SpotHour"}) {
    if (name == known) return {.formula = name};
  }
  throw ConfigError("unknown VM policy '" + name + "'");
}

Policy parse_spot_policy(const std::string& name) {
  if (name == "FirstFit") return {.counts_spots = true, .formula = name};
  for (const std::string formula : {"UTIL", "UTIL:used", "UTIL:fraction", "COS", "DPD"}) {
    if (name == "s" + formula) return {.counts_spots = true, .formula = formula};
    if (name == "vma" + formula) {
      return {.counts_spots = true, .avoids_vms = true, .formula = formula};
    }
  }
  throw ConfigError("unknown spot policy '" + name + "'");
}

double cosine_score(const ResourceVector& request, const ResourceVector& residual) {
  const std::int64_t dot = std::int64_t{request.vcpus} * residual.vcpus +
                           std::int64_t{request.memory_mb} * residual.memory_mb;
  const std::int64_t cross = std::int64_t{request.vcpus} * residual.memory_mb -
                             std::int64_t{request.memory_mb} * residual.vcpus;
  const std::int64_t sum = dot + std::abs(cross);
  return sum == 0 ? 0.0 : static_cast<double>(dot) / static_cast<double>(sum);
}

std::int64_t diagonal_gain(const ResourceVector& request, const ResourceVector& used,
                           const ResourceVector& total) {
  const auto imbalance = [&total](const ResourceVector& amount) {
    return std::int64_t{amount.vcpus} * total.memory_mb -
           std::int64_t{amount.memory_mb} * total.vcpus;
  };
  const std::int64_t before = imbalance(used);
  return std::abs(before) - std::abs(before + imbalance(request));
}

}  // namespace cospot::reference
