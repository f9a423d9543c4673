#include "sim_harness/hosts/hosts_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/files/gzip.hpp"
#include "sim_harness/files/plain_text.hpp"
#include "sim_harness/files/separated_fields.hpp"
#include "sim_harness/files/stored_file.hpp"

namespace cospot {
namespace {

constexpr std::array<std::string_view, 9> kColumns{
    "name", "type", "vcpus", "memory_mb", "disk_gb", "zone", "aggregates", "metadata", "status"};
constexpr std::array<std::string_view, 3> kRequired{"name", "vcpus", "memory_mb"};
constexpr std::array<std::string_view, 3> kStatuses{"up", "down", "disabled"};

[[noreturn]] void fail(std::string_view file, std::size_t line, const std::string& what) {
  throw WorkloadError(fmt::format("{}:{}: {}", file, line, what));
}

/// Reads a hosts file line by line.
class HostsReader {
 public:
  explicit HostsReader(std::string_view file) : file_(file) {}

  HostMix read(std::string_view text) {
    text = without_byte_order_mark(text);
    if (find_non_text(text) != std::string_view::npos) {
      fail(file_, 1, "the file is not text, expected CSV in UTF-8, plain or gzip");
    }
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
    if (text.empty()) {
      fail(file_, 1,
           fmt::format("the file is empty, expected a header line with {}",
                       fmt::join(kRequired, ",")));
    }
    read_header(take_line(text));
    for (line_ = 2; !text.empty(); ++line_) read_row(take_line(text));
    if (named_.empty()) {
      throw WorkloadError(
          fmt::format("{}: the file has no host that is up, expected at least one", file_));
    }
    return HostMix(std::move(kinds_), std::move(places_), std::move(named_));
  }

 private:
  void refuse_quotes(const std::vector<std::string_view>& fields) const {
    for (const std::string_view field : fields) {
      if (!field.starts_with('"')) continue;
      fail(file_, line_,
           fmt::format("found the field {}, expected fields without quotes and commas",
                       quoted_excerpt(field)));
    }
  }

  void read_header(std::string_view line) {
    refuse_quotes(split_fields(line));
    for (const std::string_view name : split_fields(line)) {
      if (std::ranges::find(kColumns, name) == kColumns.end()) {
        fail(file_, 1,
             fmt::format("unknown column {}, expected {}", quoted_excerpt(name),
                         fmt::join(kColumns, ",")));
      }
      if (!at_.emplace(name, at_.size()).second) {
        fail(file_, 1, fmt::format("the column '{}' comes twice", name));
      }
    }
    for (const std::string_view name : kRequired) {
      if (at_.contains(name)) continue;
      fail(file_, 1,
           fmt::format("the column '{}' is missing, expected {}", name, fmt::join(kColumns, ",")));
    }
  }

  [[nodiscard]] std::string_view field(std::string_view column) const {
    const auto found = at_.find(column);
    return found == at_.end() ? std::string_view() : fields_[found->second];
  }

  [[nodiscard]] ResourceAmount amount(std::string_view column, ResourceAmount least) const {
    const std::string_view text = field(column);
    if (!at_.contains(column)) return 0;
    ResourceAmount value = -1;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && stop == text.data() + text.size() && value >= least &&
        value <= kMaxResourceAmount) {
      return value;
    }
    fail(file_, line_,
         fmt::format("{} is {}, expected a whole number from {} to {}", column,
                     quoted_excerpt(text), least, kMaxResourceAmount));
  }

  void read_row(std::string_view line) {
    split_fields(line, fields_);
    refuse_quotes(fields_);
    if (fields_.size() != at_.size()) {
      fail(file_, line_,
           fmt::format("{} fields, expected {} as in the header line", fields_.size(), at_.size()));
    }
    const std::string name(field("name"));
    if (name.empty()) fail(file_, line_, "name is empty, expected that of a host");
    if (const auto [first, is_new] = line_of_.emplace(name, line_); !is_new) {
      fail(file_, line_,
           fmt::format("the host {} is on line {} too, expected unique names", quoted_excerpt(name),
                       first->second));
    }
    // Those that are not simulated are read all the same: a fault in them is one.
    const HostKind kind = read_kind();
    if (is_up()) named_.push_back({.name = name, .kind = number_of(kind)});
  }

  [[nodiscard]] bool is_up() const {
    const std::string_view status = field("status");
    if (!status.empty() && std::ranges::find(kStatuses, status) == kStatuses.end()) {
      fail(file_, line_,
           fmt::format("status is {}, expected {}", quoted_excerpt(status),
                       fmt::join(kStatuses, ", ")));
    }
    return status.empty() || status == "up";
  }

  [[nodiscard]] HostKind read_kind() {
    HostKind kind{.type = std::string(field("type")),
                  .total = {amount("vcpus", 1), amount("memory_mb", 1), amount("disk_gb", 0)}};
    if (kind.type.empty()) {
      kind.type = fmt::format("{}x{}", kind.total.vcpus, kind.total.memory_mb);
      if (kind.total.disk_gb > 0) kind.type += fmt::format("x{}", kind.total.disk_gb);
    }
    HostPlace place{.zone = std::string(field("zone"))};
    for (const std::string_view aggregate : split_fields(field("aggregates"), ';')) {
      if (!aggregate.empty()) place.aggregates.emplace_back(aggregate);
    }
    if (const std::string fault = read_metadata(field("metadata"), place.metadata);
        !fault.empty()) {
      fail(file_, line_, fault);
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

  std::string_view file_;
  std::size_t line_ = 1;
  std::map<std::string_view, std::size_t> at_;  // of each column
  std::vector<std::string_view> fields_;
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
  return HostsReader(file).read(text);
}

HostMix read_hosts_file(const std::filesystem::path& path) {
  std::string bytes = read_stored_file(path);
  if (is_gzip(bytes)) {
    Unpacked unpacked = unpack_gzip(bytes);
    if (!unpacked.fault.empty()) fail(path.string(), 1, unpacked.fault);
    bytes = std::move(unpacked.text);
  }
  return parse_hosts(bytes, path.string());
}

}  // namespace cospot
