#include "core/host_table.hpp"

#include <algorithm>

#include "core/errors.hpp"

namespace cospot {
namespace {

void check_amount(const HostSpec& host, const char* what, ResourceAmount amount,
                  ResourceAmount least) {
  if (amount >= least && amount <= kMaxResourceAmount) return;
  throw ConfigError("host '" + host.name + "': " + what + " is " + std::to_string(amount) +
                    ", expected " + std::to_string(least) + " to " +
                    std::to_string(kMaxResourceAmount));
}

}  // namespace

HostTable::HostTable(const std::vector<HostSpec>& hosts) {
  for (const HostSpec& host : hosts) append(host);
}

HostTable HostTable::uniform(std::size_t count, const ResourceVector& total) {
  HostTable table;
  for (std::size_t i = 0; i < count; ++i) {
    table.append({.name = "host-" + std::to_string(i), .total = total});
  }
  return table;
}

void HostTable::append(const HostSpec& host) {
  check_amount(host, "vcpus", host.total.vcpus, 1);
  check_amount(host, "memory_mb", host.total.memory_mb, 1);
  check_amount(host, "disk_gb", host.total.disk_gb, 0);
  if (size() > 0) uniform_ = uniform_ && host.total == free(0, Sees::kVms) + view()[0].vm_used();
  names_.push_back(host.name);
  vcpus_total_.push_back(host.total.vcpus);
  memory_mb_total_.push_back(host.total.memory_mb);
  disk_gb_total_.push_back(host.total.disk_gb);
  vm_vcpus_used_.push_back(host.vm_used.vcpus);
  vm_memory_mb_used_.push_back(host.vm_used.memory_mb);
  vm_disk_gb_used_.push_back(host.vm_used.disk_gb);
  spot_vcpus_used_.push_back(host.spot_used.vcpus);
  spot_memory_mb_used_.push_back(host.spot_used.memory_mb);
  spot_disk_gb_used_.push_back(host.spot_used.disk_gb);
  num_vms_.push_back(host.num_vms);
  num_spots_.push_back(host.num_spots);
  num_io_ops_.push_back(host.num_io_ops);
  generation_.push_back(0);
  largest_total_.vcpus = std::max(largest_total_.vcpus, host.total.vcpus);
  largest_total_.memory_mb = std::max(largest_total_.memory_mb, host.total.memory_mb);
  largest_total_.disk_gb = std::max(largest_total_.disk_gb, host.total.disk_gb);
}

HostView HostTable::view() const {
  return {.vcpus_total = vcpus_total_,
          .vm_vcpus_used = vm_vcpus_used_,
          .spot_vcpus_used = spot_vcpus_used_,
          .memory_mb_total = memory_mb_total_,
          .vm_memory_mb_used = vm_memory_mb_used_,
          .spot_memory_mb_used = spot_memory_mb_used_,
          .disk_gb_total = disk_gb_total_,
          .vm_disk_gb_used = vm_disk_gb_used_,
          .spot_disk_gb_used = spot_disk_gb_used_,
          .num_vms = num_vms_,
          .num_spots = num_spots_,
          .num_io_ops = num_io_ops_,
          .generation = generation_};
}

}  // namespace cospot
