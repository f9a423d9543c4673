#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/resource_vector.hpp"

namespace cospot {

using HostIndex = std::uint32_t;
inline constexpr HostIndex kNoHost = UINT32_MAX;

/// Which instances a policy sees on a host: only the VMs ("ignoring spots"), or all of them.
enum class Sees : std::uint8_t { kVms, kVmsAndSpots };

/// What one host is made of and holds at first. Totals are what the scheduler may hand out, after
/// allocation ratios and reserved amounts.
struct HostSpec {
  std::string name;
  ResourceVector total;
  ResourceVector vm_used{};
  ResourceVector spot_used{};
  std::int32_t num_vms = 0;
  std::int32_t num_spots = 0;
  std::int32_t num_io_ops = 0;  ///< instances being built, resized or moved, as Nova counts them
};

class HostRow;

/// Read-only columns over a HostTable, one entry a host. Valid while the table lives; never stored
/// by a plugin. "used" counts what instances hold, in the unit of the name.
struct HostView {
  std::span<const ResourceAmount> vcpus_total;
  std::span<const ResourceAmount> vm_vcpus_used;
  std::span<const ResourceAmount> spot_vcpus_used;
  std::span<const ResourceAmount> memory_mb_total;
  std::span<const ResourceAmount> vm_memory_mb_used;
  std::span<const ResourceAmount> spot_memory_mb_used;
  std::span<const ResourceAmount> disk_gb_total;
  std::span<const ResourceAmount> vm_disk_gb_used;
  std::span<const ResourceAmount> spot_disk_gb_used;
  std::span<const std::int32_t> num_vms;
  std::span<const std::int32_t> num_spots;
  std::span<const std::int32_t> num_io_ops;
  std::span<const std::uint64_t> generation;

  [[nodiscard]] std::size_t size() const { return vcpus_total.size(); }
  [[nodiscard]] inline HostRow operator[](HostIndex host) const;
};

/// One host of a HostView, with the names a policy's formula uses.
class HostRow {
 public:
  HostRow(const HostView& view, HostIndex host) : view_(&view), host_(host) {}

  [[nodiscard]] HostIndex index() const { return host_; }
  [[nodiscard]] std::int32_t num_vms() const { return view_->num_vms[host_]; }
  [[nodiscard]] std::int32_t num_spots() const { return view_->num_spots[host_]; }
  [[nodiscard]] std::int32_t num_io_ops() const { return view_->num_io_ops[host_]; }

  [[nodiscard]] ResourceVector total() const {
    return {view_->vcpus_total[host_], view_->memory_mb_total[host_], view_->disk_gb_total[host_]};
  }
  [[nodiscard]] ResourceVector vm_used() const {
    return {view_->vm_vcpus_used[host_], view_->vm_memory_mb_used[host_],
            view_->vm_disk_gb_used[host_]};
  }
  [[nodiscard]] ResourceVector spot_used() const {
    return {view_->spot_vcpus_used[host_], view_->spot_memory_mb_used[host_],
            view_->spot_disk_gb_used[host_]};
  }
  [[nodiscard]] ResourceVector used(Sees sees) const {
    return sees == Sees::kVms ? vm_used() : vm_used() + spot_used();
  }
  [[nodiscard]] ResourceVector free(Sees sees) const { return total() - used(sees); }

 private:
  const HostView* view_;
  HostIndex host_;
};

inline HostRow HostView::operator[](HostIndex host) const { return {*this, host}; }

/// The hosts of a datacenter: a struct of arrays with one writer (the engine or the Nova mirror).
/// VM use and spot use are separate columns, so "ignoring spots" and "including spots" are two
/// views of one table. Every change of a host raises its generation.
class HostTable {
 public:
  HostTable() = default;

  /// Errors: ConfigError when an amount is negative or over kMaxResourceAmount, or the vcpus or
  /// memory of a host are zero.
  explicit HostTable(const std::vector<HostSpec>& hosts);

  /// `count` empty hosts with the same totals, named host-0, host-1, ...
  [[nodiscard]] static HostTable uniform(std::size_t count, const ResourceVector& total);

  [[nodiscard]] std::size_t size() const { return vcpus_total_.size(); }
  [[nodiscard]] HostView view() const;
  [[nodiscard]] const std::string& name(HostIndex host) const { return names_[host]; }

  /// Tells whether every host has the same totals.
  [[nodiscard]] bool is_uniform() const { return uniform_; }

  /// The largest total of each resource over all hosts.
  [[nodiscard]] const ResourceVector& largest_total() const { return largest_total_; }

  void add_vm(HostIndex host, const ResourceVector& amount) { change_vms(host, amount, 1); }
  void remove_vm(HostIndex host, const ResourceVector& amount) { change_vms(host, amount, -1); }
  void add_spot(HostIndex host, const ResourceVector& amount) { change_spots(host, amount, 1); }
  void remove_spot(HostIndex host, const ResourceVector& amount) { change_spots(host, amount, -1); }

  /// What a host could still take beside its VMs, or beside its VMs and spots.
  [[nodiscard]] ResourceVector free(HostIndex host, Sees sees) const {
    ResourceVector room{vcpus_total_[host] - vm_vcpus_used_[host],
                        memory_mb_total_[host] - vm_memory_mb_used_[host],
                        disk_gb_total_[host] - vm_disk_gb_used_[host]};
    if (sees == Sees::kVmsAndSpots) {
      room -= {spot_vcpus_used_[host], spot_memory_mb_used_[host], spot_disk_gb_used_[host]};
    }
    return room;
  }

  [[nodiscard]] std::uint64_t generation(HostIndex host) const { return generation_[host]; }

 private:
  void change_vms(HostIndex host, const ResourceVector& amount, std::int32_t sign) {
    vm_vcpus_used_[host] += sign * amount.vcpus;
    vm_memory_mb_used_[host] += sign * amount.memory_mb;
    vm_disk_gb_used_[host] += sign * amount.disk_gb;
    num_vms_[host] += sign;
    ++generation_[host];
  }
  void change_spots(HostIndex host, const ResourceVector& amount, std::int32_t sign) {
    spot_vcpus_used_[host] += sign * amount.vcpus;
    spot_memory_mb_used_[host] += sign * amount.memory_mb;
    spot_disk_gb_used_[host] += sign * amount.disk_gb;
    num_spots_[host] += sign;
    ++generation_[host];
  }
  void append(const HostSpec& host);

  std::vector<std::string> names_;
  std::vector<ResourceAmount> vcpus_total_, vm_vcpus_used_, spot_vcpus_used_;
  std::vector<ResourceAmount> memory_mb_total_, vm_memory_mb_used_, spot_memory_mb_used_;
  std::vector<ResourceAmount> disk_gb_total_, vm_disk_gb_used_, spot_disk_gb_used_;
  std::vector<std::int32_t> num_vms_, num_spots_, num_io_ops_;
  std::vector<std::uint64_t> generation_;
  ResourceVector largest_total_;
  bool uniform_ = true;
};

}  // namespace cospot
