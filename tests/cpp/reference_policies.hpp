#pragma once

#include <cstdint>
#include <string>

#include "core/model/resource_vector.hpp"

/// How the reference simulator ranks: names and formulas.
namespace cospot::reference {

/// A way to rank hosts: "vma" + "COS", say.
struct Policy {
  bool counts_spots = false;
  bool avoids_vms = false;
  std::string formula;  ///< UTIL, also with :used or :fraction, COS, DPD, FirstFit and others
};

// Errors: ConfigError for an unknown name.
[[nodiscard]] Policy parse_vm_policy(const std::string& name);
[[nodiscard]] Policy parse_spot_policy(const std::string& name);

[[nodiscard]] double cosine_score(const ResourceVector& request, const ResourceVector& residual);

/// Drop in distance to the diagonal: |d| - |d + delta|, in units of 1 / (total vcpus x memory).
[[nodiscard]] std::int64_t diagonal_gain(const ResourceVector& request, const ResourceVector& used,
                                         const ResourceVector& total);

}  // namespace cospot::reference
