#pragma once

#include <string>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "sim_harness/data/workloads/vcpus_unit.hpp"
#include "sim_harness/data/workloads/workload.hpp"

namespace cospot {

/// What requests that ask for memory ask for together: by memory a vcpu, units are told apart.
class SizeSums {
 public:
  void add(const ResourceVector& amounts);

  /// A doubt whether their memory is in MiB; empty: it looks like that, or nobody can tell.
  [[nodiscard]] std::string memory_doubt(const VcpusUnit& unit) const;

  /// A doubt whether hosts count in the unit of the requests; empty: they seem to.
  [[nodiscard]] std::string host_doubt(const ResourceVector& host, const VcpusUnit& unit) const;

 private:
  [[nodiscard]] double memory_per_vcpu() const { return memory_mb_ / vcpus_; }

  double vcpus_ = 0;
  double memory_mb_ = 0;
};

/// The same of all requests of a workload.
[[nodiscard]] SizeSums size_sums(const Workload& workload);

/// The warnings of its window (window.hpp), and whether hosts, of which the largest amounts are
/// `host`, seem to count in another unit.
[[nodiscard]] std::vector<std::string> input_warnings(const Workload& workload,
                                                      const ResourceVector& host,
                                                      const VcpusUnit& unit);

}  // namespace cospot
