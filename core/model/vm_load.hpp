#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/model/host_table.hpp"

namespace cospot {

/// The load of a datacenter with VMs: the largest fraction of a resource (vcpus, memory_mb or
/// disk_gb, if hosts have any) that VMs use over all hosts. Spots do not count. Sums are exact
/// integers, so that a load kept up to date equals one that is computed anew.
class VmLoad {
 public:
  /// Computes it from the table.
  explicit VmLoad(const HostTable& hosts) : VmLoad(hosts.view()) {}
  explicit VmLoad(const HostView& view) {
    for (HostIndex host = 0; host < view.size(); ++host) {
      add(total_, view[host].total(), 1);
      add(used_, view[host].vm_used(), 1);
    }
  }

  void add_vm(const ResourceVector& amount) { add(used_, amount, 1); }
  void remove_vm(const ResourceVector& amount) { add(used_, amount, -1); }

  /// 0 = no VM, 1 = a resource is used up on every host.
  [[nodiscard]] double of_scarcest() const {
    double load = 0;
    for (std::size_t i = 0; i < total_.size(); ++i) {
      if (total_[i] == 0) continue;
      load = std::max(load, static_cast<double>(used_[i]) / static_cast<double>(total_[i]));
    }
    return load;
  }

 private:
  using Sums = std::array<std::int64_t, 3>;  // vcpus, memory_mb, disk_gb

  static void add(Sums& sums, const ResourceVector& amount, std::int64_t sign) {
    sums[0] += sign * amount.vcpus;
    sums[1] += sign * amount.memory_mb;
    sums[2] += sign * amount.disk_gb;
  }

  Sums total_{};
  Sums used_{};
};

}  // namespace cospot
