#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/model/host_place.hpp"
#include "core/model/resource_vector.hpp"

namespace cospot {

using HostIndex = std::uint32_t;
inline constexpr HostIndex kNoHost = UINT32_MAX;

/// The instances that a policy sees on a host: only the VMs ("ignoring spots"), or all of them.
enum class Sees : std::uint8_t { kVms, kVmsAndSpots };

/// The amounts of one host, and its first instances. Totals are the amounts that the scheduler may
/// hand out, after allocation ratios and reserved amounts.
struct HostSpec {
  std::string name;
  ResourceVector total;
  ResourceVector vm_used{};
  ResourceVector spot_used{};
  std::int32_t num_vms = 0;
  std::int32_t num_spots = 0;
  std::int32_t num_io_ops = 0;  ///< instances being built, resized or moved, as Nova counts them
  PlaceIndex place = 0;         ///< in the places of its table
};

class HostRow;
class HostTable;
class SpotLists;
struct RunningSpot;

/// Read-only columns over a HostTable, one entry a host. Valid while the table lives; never stored
/// by a plugin. What is free "beside VMs" ignores spots; "beside all" counts VMs and spots. An
/// amount "beside all" may be negative: the host is overcommitted until spots are evicted.
struct HostView {
  std::span<const ResourceAmount> vcpus_total;
  std::span<const ResourceAmount> memory_mb_total;
  std::span<const ResourceAmount> disk_gb_total;
  std::span<const ResourceAmount> vcpus_free_ignoring_spots;
  std::span<const ResourceAmount> memory_mb_free_ignoring_spots;
  std::span<const ResourceAmount> disk_gb_free_ignoring_spots;
  std::span<const ResourceAmount> vcpus_free;
  std::span<const ResourceAmount> memory_mb_free;
  std::span<const ResourceAmount> disk_gb_free;
  std::span<const std::int32_t> num_vms;
  std::span<const std::int32_t> num_spots;
  std::span<const std::int32_t> num_io_ops;
  std::span<const std::uint64_t> generation;
  std::span<const std::string> name;
  std::span<const PlaceIndex> place;
  std::span<const HostPlace> places;  ///< what `place` counts; one at least
  const HostTable* table = nullptr;   ///< whose columns these are; not for policies
  const SpotLists* spots = nullptr;   ///< on each host, if the table was lent them; see HostRow

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
  /// The place of the host: its zone and its aggregates.
  [[nodiscard]] const HostPlace& place() const { return view_->places[view_->place[host_]]; }
  /// The spots on the host, oldest placement first; none where the table was not lent them. Defined
  /// in core/model/spot_lists.hpp.
  [[nodiscard]] inline std::span<const RunningSpot> spots() const;

  [[nodiscard, gnu::always_inline]] ResourceVector total() const {
    return {view_->vcpus_total[host_], view_->memory_mb_total[host_], view_->disk_gb_total[host_]};
  }
  /// The free capacity next to its VMs, or next to its VMs and spots.
  [[nodiscard, gnu::always_inline]] ResourceVector free(Sees sees) const {
    return sees == Sees::kVms ? free_ignoring_spots() : free();
  }
  [[nodiscard, gnu::always_inline]] ResourceVector used(Sees sees) const {
    return total() - free(sees);
  }
  [[nodiscard]] ResourceVector vm_used() const { return total() - free_ignoring_spots(); }
  [[nodiscard]] ResourceVector spot_used() const { return free_ignoring_spots() - free(); }

 private:
  [[nodiscard, gnu::always_inline]] ResourceVector free_ignoring_spots() const {
    return {view_->vcpus_free_ignoring_spots[host_], view_->memory_mb_free_ignoring_spots[host_],
            view_->disk_gb_free_ignoring_spots[host_]};
  }
  [[nodiscard, gnu::always_inline]] ResourceVector free() const {
    return {view_->vcpus_free[host_], view_->memory_mb_free[host_], view_->disk_gb_free[host_]};
  }

  const HostView* view_;
  HostIndex host_;
};

inline HostRow HostView::operator[](HostIndex host) const { return {*this, host}; }

/// The columns of a HostTable are padded to a multiple of this with rows that have no room, so that
/// vector loops need no remainder.
inline constexpr std::size_t kRowPadding = 32;

/// The hosts of a datacenter: a struct of arrays with one writer (the engine or the Nova mirror).
/// What VMs leave free and what VMs and spots leave free are separate columns, so "ignoring spots"
/// and "including spots" are two views of one table. Every change of a host raises its generation.
class HostTable {
 public:
  HostTable() = default;
  HostTable(const HostTable&) = default;
  HostTable(HostTable&&) noexcept = default;
  HostTable& operator=(const HostTable&) = delete;
  HostTable& operator=(HostTable&&) = delete;
  ~HostTable();

  /// `places`: what HostSpec::place counts; nullptr: one place without a name.
  ///
  /// Errors: ConfigError when an amount is negative or over kMaxResourceAmount, the vcpus or memory
  /// of a host are zero, or its place is none of `places`.
  explicit HostTable(const std::vector<HostSpec>& hosts,
                     std::shared_ptr<const HostPlaces> places = nullptr);

  /// `count` empty hosts with the same totals, named host-0, host-1, ...
  [[nodiscard]] static HostTable uniform(std::size_t count, const ResourceVector& total);

  [[nodiscard]] std::size_t size() const { return names_.size(); }
  [[nodiscard]] HostView view() const;
  [[nodiscard]] const std::string& name(HostIndex host) const { return names_[host]; }

  /// While the result lives, the columns stay where they are, also when the table is gone (then as
  /// they were at its end). For the arrays of other languages, which may outlive a run. Called by
  /// the thread that owns the table; the result may be dropped by any.
  [[nodiscard]] std::shared_ptr<const void> keep_columns() const;

  /// Lets policies see the spots on each host (HostRow::spots). `spots` outlives the table and is
  /// kept in step with it. Holds for this table, not for its copies.
  void lend_spots(const SpotLists& spots) { lent_.spots = &spots; }

  /// Tells whether every host has the same totals.
  [[nodiscard]] bool is_uniform() const { return uniform_; }

  /// The largest total of each resource over all hosts. No host need have all of them.
  [[nodiscard]] const ResourceVector& largest_total() const { return largest_total_; }

  /// Tells whether an empty host has room for `amounts`.
  [[nodiscard]] bool fits_an_empty_host(const ResourceVector& amounts) const;

  /// Makes a host what `spec` says, its name included. What is kept ranked over this table must not
  /// be used after it.
  ///
  /// Errors: ConfigError as for the constructor; then the host is as it was.
  void replace(HostIndex host, const HostSpec& spec);

  /// `sign`: 1 when they came, -1 when they left.
  void change_vms(HostIndex host, const ResourceVector& amount, std::int32_t sign) {
    take(free_ignoring_spots_, host, amount, sign);
    take(free_, host, amount, sign);
    num_vms_[host] += sign;
    ++generation_[host];
  }
  void change_spots(HostIndex host, const ResourceVector& amount, std::int32_t sign) {
    take(free_, host, amount, sign);
    num_spots_[host] += sign;
    ++generation_[host];
  }
  void add_vm(HostIndex host, const ResourceVector& amount) { change_vms(host, amount, 1); }
  void remove_vm(HostIndex host, const ResourceVector& amount) { change_vms(host, amount, -1); }
  void add_spot(HostIndex host, const ResourceVector& amount) { change_spots(host, amount, 1); }
  void remove_spot(HostIndex host, const ResourceVector& amount) { change_spots(host, amount, -1); }

  /// The free capacity of a host next to its VMs, or next to its VMs and spots.
  [[nodiscard]] ResourceVector free(HostIndex host, Sees sees) const {
    return sees == Sees::kVms
               ? ResourceVector{free_ignoring_spots_[0][host], free_ignoring_spots_[1][host],
                                free_ignoring_spots_[2][host]}
               : ResourceVector{free_[0][host], free_[1][host], free_[2][host]};
  }

  [[nodiscard]] std::uint64_t generation(HostIndex host) const { return generation_[host]; }

 private:
  using Columns = std::array<std::vector<ResourceAmount>, 3>;  // vcpus, memory_mb, disk_gb

  /// The place where a table leaves its columns for those who keep them.
  struct Estate {
    std::unique_ptr<const HostTable> table;
  };
  /// Belongs to one table and not to its copies, whose columns lie elsewhere.
  struct OwnEstate {
    OwnEstate() = default;
    OwnEstate(const OwnEstate& /*other*/) noexcept {}
    OwnEstate(OwnEstate&&) noexcept = default;
    OwnEstate& operator=(const OwnEstate&) = delete;
    OwnEstate& operator=(OwnEstate&&) = delete;
    ~OwnEstate() = default;

    std::shared_ptr<Estate> estate;  // nullptr while nobody keeps columns
  };

  /// The columns that another writer lends to one table and not to its copies.
  struct Lent {
    Lent() = default;
    Lent(const Lent& /*other*/) noexcept {}
    Lent& operator=(const Lent&) = delete;
    ~Lent() = default;

    const SpotLists* spots = nullptr;
  };

  static void take(Columns& room, HostIndex host, const ResourceVector& amount, std::int32_t sign) {
    room[0][host] -= sign * amount.vcpus;
    room[1][host] -= sign * amount.memory_mb;
    room[2][host] -= sign * amount.disk_gb;
  }
  [[nodiscard]] static const std::shared_ptr<const HostPlaces>& one_place();
  void append(const HostSpec& host);
  void include_total(const ResourceVector& total);
  void pad();

  std::vector<std::string> names_;
  Columns total_, free_ignoring_spots_, free_;
  std::vector<std::int32_t> num_vms_, num_spots_, num_io_ops_;
  std::vector<std::uint64_t> generation_;
  std::vector<PlaceIndex> place_;
  std::shared_ptr<const HostPlaces> places_ = one_place();
  ResourceVector largest_total_;
  bool uniform_ = true;
  mutable OwnEstate own_;
  Lent lent_;
};

}  // namespace cospot
