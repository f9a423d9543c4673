#pragma once

#include <string>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/data/workloads/workload.hpp"

namespace cospot {

/// Sums over the requests that ask for memory; the memory per vcpu reveals the units.
class SizeSums {
 public:
  void add(const ResourceVector& amounts);

  /// A warning that memory may not be in MiB; empty if it seems to be, or if that is unknowable.
  [[nodiscard]] std::string memory_doubt(const VcpusUnit& unit) const;

  /// A warning that hosts may use another unit than the requests; empty if they seem to match.
  [[nodiscard]] std::string host_doubt(const ResourceVector& host, const VcpusUnit& unit) const;

 private:
  [[nodiscard]] double memory_per_vcpu() const { return memory_mb_ / vcpus_; }

  double vcpus_ = 0;
  double memory_mb_ = 0;
};

/// The sums over all requests of a workload.
[[nodiscard]] SizeSums size_sums(const Workload& workload);

/// A warning that hosts (largest amounts: `host`) may use another unit than the workload, whose
/// sums are given; empty if they seem to match.
[[nodiscard]] std::string host_warning(const Workload& workload, const SizeSums& sums,
                                       const ResourceVector& host, const VcpusUnit& unit);

/// The warnings about its window (window.hpp), and about hosts (largest amounts: `host`) that seem
/// to use another unit.
[[nodiscard]] std::vector<std::string> input_warnings(const Workload& workload,
                                                      const ResourceVector& host,
                                                      const VcpusUnit& unit);

}  // namespace cospot
