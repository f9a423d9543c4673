#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/host_place.hpp"
#include "core/model/host_table.hpp"
#include "core/model/resource_vector.hpp"

namespace cospot {

/// Hosts that are alike: of one type, with the same totals, in one place.
struct HostKind {
  std::string type{};     ///< as the user calls it; kinds in several zones may share it
  std::size_t count = 0;  ///< how many the user named; the kind's share of any other number
  ResourceVector total{};
  PlaceIndex place = 0;

  friend bool operator==(const HostKind&, const HostKind&) = default;
};

/// A host that exists and has a name.
struct NamedHost {
  std::string name{};
  std::uint32_t kind = 0;

  friend bool operator==(const NamedHost&, const NamedHost&) = default;
};

/// What the hosts of a datacenter are, for any number of them; docs/semantics.md, "The hosts".
///
/// One kind of host without a count is the datacenter of alike hosts that it always was. Of several
/// kinds, host after host is added in proportion to the counts, so that of as many hosts as the
/// user named each kind has just its count; or, with an added type, the counts are there first and
/// only hosts of that type are added.
class HostMix {
 public:
  HostMix() = default;
  /// Any number of alike hosts.
  HostMix(const ResourceVector& total);  // NOLINT(google-explicit-constructor)
  HostMix(ResourceAmount vcpus, ResourceAmount memory_mb, ResourceAmount disk_gb = 0)
      : HostMix(ResourceVector{vcpus, memory_mb, disk_gb}) {}

  /// `kinds` have a count of at least 1 and a place in `places`. `named`: the hosts in the order of
  /// their file, as many of each kind as it counts; empty: hosts are called after their types.
  HostMix(std::vector<HostKind> kinds, HostPlaces places, std::vector<NamedHost> named = {});

  /// From now on only hosts of this type are added. Errors: ConfigError when no kind is of it.
  void add_only(const std::string& type);

  [[nodiscard]] const std::vector<HostKind>& kinds() const { return kinds_; }
  [[nodiscard]] const HostPlaces& places() const { return *places_; }
  [[nodiscard]] const std::vector<NamedHost>& named() const { return named_; }
  [[nodiscard]] const std::string& added_type() const { return added_type_; }

  /// Alike hosts, of which only the totals are known.
  [[nodiscard]] bool is_plain() const { return declared_ == 0; }
  /// How many hosts the user named; 0 for plain ones.
  [[nodiscard]] std::size_t declared() const { return declared_; }
  /// The fewest hosts a size may have: all declared ones, where only one type is added.
  [[nodiscard]] std::size_t least_hosts() const { return added_type_.empty() ? 1 : declared_; }
  /// A datacenter of so many hosts has them first in every larger one too.
  [[nodiscard]] bool is_prefix_of_larger(std::size_t hosts) const { return hosts >= named_.size(); }
  /// Whether hosts of this kind are ever added.
  [[nodiscard]] bool grows(std::size_t kind) const {
    return added_type_.empty() || kinds_[kind].type == added_type_;
  }

  /// The kind of each of so many hosts, by index. Errors: ConfigError below least_hosts().
  [[nodiscard]] std::vector<std::uint32_t> kinds_of(std::size_t hosts) const;
  /// So many empty hosts.
  [[nodiscard]] HostTable table(std::size_t hosts) const;
  /// An empty table of two hosts of these kinds.
  [[nodiscard]] HostTable pair(std::size_t kind, std::size_t other_kind) const;
  /// What so many hosts have together, wider than a ResourceVector.
  struct Sum {
    std::int64_t vcpus = 0, memory_mb = 0, disk_gb = 0;
    friend bool operator==(const Sum&, const Sum&) = default;
  };
  [[nodiscard]] Sum sum(std::size_t hosts) const;
  /// The fewest hosts that have so much together; with an added type, no fewer than the user named.
  /// Nothing: no number of hosts has it.
  [[nodiscard]] std::optional<std::size_t> fewest_with(const Sum& amount) const;
  /// How many of so many hosts are of each kind.
  [[nodiscard]] std::vector<std::size_t> counts(std::size_t hosts) const;

  /// The largest amount of each resource that a host has; for plain hosts, what all have.
  [[nodiscard]] ResourceVector largest_total() const;
  [[nodiscard]] bool fits_an_empty_host(const ResourceVector& amounts) const;

  /// The tenants that some hosts are kept for (Nova's filter_tenant_id).
  [[nodiscard]] std::set<std::string, std::less<>> isolated_tenants() const;

  friend bool operator==(const HostMix& a, const HostMix& b) {
    return a.kinds_ == b.kinds_ && *a.places_ == *b.places_ && a.named_ == b.named_ &&
           a.added_type_ == b.added_type_;
  }

 private:
  [[nodiscard]] std::vector<std::uint32_t> in_proportion(std::size_t hosts) const;
  [[nodiscard]] std::vector<std::uint32_t> declared_first(std::size_t hosts) const;
  [[nodiscard]] HostTable table_of_kinds(std::span<const std::uint32_t> kinds) const;

  std::vector<HostKind> kinds_;
  std::shared_ptr<const HostPlaces> places_ = std::make_shared<const HostPlaces>(1);
  std::vector<NamedHost> named_;
  std::size_t declared_ = 0;
  std::string added_type_;
};

/// How many of so many hosts are of which type, in the order of the types.
[[nodiscard]] std::vector<std::pair<std::string, std::size_t>> types_of(const HostMix& hosts,
                                                                        std::size_t count);
/// `gen3 120, gen2 40`: how many of so many hosts are of which type; empty for plain hosts.
[[nodiscard]] std::string types_text(const HostMix& hosts, std::size_t count);

}  // namespace cospot
