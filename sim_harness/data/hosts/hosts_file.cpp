#include "sim_harness/data/hosts/hosts_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/base/files/gzip.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/tables/separated_fields.hpp"
#include "sim_harness/base/tables/table_reader.hpp"
#include "sim_harness/base/text/plain_text.hpp"

namespace cospot {
namespace {

enum Column : std::size_t {
  kName,
  kType,
  kVcpus,
  kMemory,
  kDisk,
  kZone,
  kAggregates,
  kMetadata,
  kStatus,
  kColumnCount
};
constexpr std::array<TableColumn, kColumnCount> kColumns{{{"name"},
                                                          {"type", false},
                                                          {"vcpus"},
                                                          {"memory_mb"},
                                                          {"disk_gb", false},
                                                          {"zone", false},
                                                          {"aggregates", false},
                                                          {"metadata", false},
                                                          {"status", false}}};
constexpr TableFormat kFormat{.columns = kColumns, .rows = "hosts"};
constexpr std::array<std::string_view, 3> kStatuses{"up", "down", "disabled"};

/// Collects the hosts of a file by kind.
class HostsReader {
 public:
  HostsReader(std::string_view text, std::string_view file) : table_(text, file, kFormat) {}

  HostMix read(std::string_view file) {
    while (table_.next()) read_row();
    if (named_.empty()) {
      throw WorkloadError(
          fmt::format("{}: the file has no host that is up, expected at least one", file));
    }
    return HostMix(std::move(kinds_), std::move(places_), std::move(named_));
  }

 private:
  void read_row() {
    const std::string name(table_.name(kName));
    if (const auto [first, is_new] = line_of_.emplace(name, table_.line_number()); !is_new) {
      table_.fail(fmt::format("the host {} is on line {} too, expected unique names",
                              quoted_excerpt(name), first->second));
    }
    // Hosts that are not simulated are read too, so that their faults are reported.
    const HostKind kind = read_kind();
    if (is_up()) named_.push_back({.name = name, .kind = number_of(kind)});
  }

  [[nodiscard]] bool is_up() const {
    const std::string_view status = table_.field(kStatus);
    if (!status.empty() && std::ranges::find(kStatuses, status) == kStatuses.end()) {
      table_.refuse(kStatus, fmt::format("{}", fmt::join(kStatuses, ", ")));
    }
    return status.empty() || status == "up";
  }

  [[nodiscard]] HostKind read_kind() {
    HostKind kind{
        .type = std::string(table_.plain(kType)),
        .total = {table_.amount(kVcpus, 1), table_.amount(kMemory, 1), table_.amount(kDisk, 0)}};
    if (kind.type.empty()) {
      kind.type = fmt::format("{}x{}", kind.total.vcpus, kind.total.memory_mb);
      if (kind.total.disk_gb > 0) kind.type += fmt::format("x{}", kind.total.disk_gb);
    }
    HostPlace place{.zone = std::string(table_.plain(kZone))};
    for (const std::string_view aggregate : split_fields(table_.plain(kAggregates), ';')) {
      if (!aggregate.empty()) place.aggregates.emplace_back(aggregate);
    }
    if (const std::string fault = read_metadata(table_.plain(kMetadata), place.metadata);
        !fault.empty()) {
      table_.fail(fault);
    }
    kind.place = number_of_place(places_, place);
    return kind;
  }

  /// The number of a kind, which counts one host more.
  std::uint32_t number_of(const HostKind& kind) {
    const auto found = std::ranges::find_if(kinds_, [&](const HostKind& other) {
      return other.type == kind.type && other.total == kind.total && other.place == kind.place;
    });
    const auto number = static_cast<std::uint32_t>(found - kinds_.begin());
    if (found == kinds_.end()) kinds_.push_back(kind);
    ++kinds_[number].count;
    return number;
  }

  TableReader table_;
  std::map<std::string, std::size_t> line_of_;
  std::vector<HostKind> kinds_;
  HostPlaces places_;
  std::vector<NamedHost> named_;
};

}  // namespace

std::string read_metadata(std::string_view text, AggregateMetadata& metadata) {
  if (text.empty()) return {};
  for (const std::string_view entry : split_fields(text, ';')) {
    const std::size_t equals = entry.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      return fmt::format("metadata is {}, expected key=value, several joined by ';'",
                         quoted_excerpt(text));
    }
    metadata[std::string(entry.substr(0, equals))].emplace(entry.substr(equals + 1));
  }
  return {};
}

PlaceIndex number_of_place(HostPlaces& places, const HostPlace& place) {
  const auto found = std::ranges::find(places, place);
  const auto number = static_cast<PlaceIndex>(found - places.begin());
  if (found == places.end()) places.push_back(place);
  return number;
}

HostMix parse_hosts(std::string_view text, std::string_view file) {
  return HostsReader(text, file).read(file);
}

HostMix read_hosts_file(const std::filesystem::path& path) {
  const std::string file = path.string();
  return parse_hosts(unpacked_text(read_stored_file(path), file), file);
}

}  // namespace cospot
