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

/// Identical hosts: of one type, with the same totals, in one place.
struct HostKind {
  std::string type{};     ///< the user's name for it; kinds in several zones may share it
  std::size_t count = 0;  ///< number declared by the user; the kind's share for any other total
  ResourceVector total{};
  PlaceIndex place = 0;

  friend bool operator==(const HostKind&, const HostKind&) = default;
};

/// An existing host with a name.
struct NamedHost {
  std::string name{};
  std::uint32_t kind = 0;

  friend bool operator==(const NamedHost&, const NamedHost&) = default;
};

/// The hosts of a datacenter, for any number of them; docs/semantics.md, "The hosts".
///
/// A single kind without a count describes any number of identical hosts. With several kinds, hosts
/// are added one by one in proportion to the counts, so that the declared total gives exactly the
/// declared counts. With an added type, the declared hosts come first, and then only hosts of that
/// type.
class HostMix {
 public:
  HostMix() = default;
  /// Any number of identical hosts.
  HostMix(const ResourceVector& total);  // NOLINT(google-explicit-constructor)
  HostMix(ResourceAmount vcpus, ResourceAmount memory_mb, ResourceAmount disk_gb = 0)
      : HostMix(ResourceVector{vcpus, memory_mb, disk_gb}) {}

  /// `kinds` have a count of at least 1 and a place in `places`. `named`: the hosts in the order of
  /// their file, matching the counts; empty: hosts are named after their types.
  HostMix(std::vector<HostKind> kinds, HostPlaces places, std::vector<NamedHost> named = {});

  /// Adds only hosts of this type from now on. Errors: ConfigError if no kind has this type.
  void add_only(const std::string& type);

  [[nodiscard]] const std::vector<HostKind>& kinds() const { return kinds_; }
  [[nodiscard]] const HostPlaces& places() const { return *places_; }
  [[nodiscard]] const std::vector<NamedHost>& named() const { return named_; }
  [[nodiscard]] const std::string& added_type() const { return added_type_; }

  /// Identical hosts of which only the totals are known.
  [[nodiscard]] bool is_plain() const { return declared_ == 0; }
  /// The number of hosts declared by the user; 0 for plain hosts.
  [[nodiscard]] std::size_t declared() const { return declared_; }
  /// The minimum number of hosts: all declared ones if only one type is added.
  [[nodiscard]] std::size_t least_hosts() const { return added_type_.empty() ? 1 : declared_; }
  /// True if the hosts of a datacenter of this size come first in every larger one.
  [[nodiscard]] bool is_prefix_of_larger(std::size_t hosts) const { return hosts >= named_.size(); }
  /// True if hosts of this kind are ever added.
  [[nodiscard]] bool grows(std::size_t kind) const {
    return added_type_.empty() || kinds_[kind].type == added_type_;
  }

  /// The kind of each host, by index. Errors: ConfigError below least_hosts().
  [[nodiscard]] std::vector<std::uint32_t> kinds_of(std::size_t hosts) const;
  /// The hosts of a datacenter of this size with `count` of a type: its last ones go, or more come
  /// last. Requires hosts afterwards.
  [[nodiscard]] HostMix with_count(std::size_t hosts, const std::string& type,
                                   std::size_t count) const;
  /// A table of empty hosts.
  [[nodiscard]] HostTable table(std::size_t hosts) const;
  /// A table of two empty hosts of these kinds.
  [[nodiscard]] HostTable pair(std::size_t kind, std::size_t other_kind) const;
  /// The total capacity of hosts, with a larger range than ResourceVector.
  struct Sum {
    std::int64_t vcpus = 0, memory_mb = 0, disk_gb = 0;
    friend bool operator==(const Sum&, const Sum&) = default;
  };
  [[nodiscard]] Sum sum(std::size_t hosts) const;
  /// The smallest number of hosts with this total capacity; with an added type, at least the
  /// declared number. Nothing if no number has it.
  [[nodiscard]] std::optional<std::size_t> fewest_with(const Sum& amount) const;
  /// The number of hosts of each kind.
  [[nodiscard]] std::vector<std::size_t> counts(std::size_t hosts) const;

  /// The largest amount of each resource on any host; for plain hosts, their totals.
  [[nodiscard]] ResourceVector largest_total() const;
  [[nodiscard]] bool fits_an_empty_host(const ResourceVector& amounts) const;

  /// The tenants with reserved hosts (Nova's filter_tenant_id).
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

/// The number of hosts of each type, in the order of the types.
[[nodiscard]] std::vector<std::pair<std::string, std::size_t>> types_of(const HostMix& hosts,
                                                                        std::size_t count);
/// `gen3 120, gen2 40`: the number of hosts of each type; empty for plain hosts.
[[nodiscard]] std::string types_text(const HostMix& hosts, std::size_t count);

}  // namespace cospot
