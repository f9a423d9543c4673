#include "sim_harness/life/life_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/files/line_reader.hpp"
#include "sim_harness/files/plain_text.hpp"
#include "sim_harness/files/separated_fields.hpp"
#include "sim_harness/files/stored_file.hpp"
#include "sim_harness/workloads/workload_fields.hpp"

namespace cospot {
namespace {

/// The rows of a file whose columns may come in any order.
class TableReader {
 public:
  /// The first `required` of `names` must be there.
  TableReader(const std::filesystem::path& path, std::span<const std::string_view> names,
              std::size_t required)
      : reader_(path) {
    std::string_view line;
    if (!reader_.next(line)) {
      throw WorkloadError(fmt::format("{}:1: the file is empty, expected the header line {}",
                                      path.string(), fmt::join(names, ",")));
    }
    split_fields(without_byte_order_mark(line), fields_);
    for (const std::string_view name : fields_) {
      if (std::ranges::find(names, name) == names.end()) {
        fail(fmt::format("unknown column {}, expected {}", quoted_excerpt(name),
                         fmt::join(names, ",")));
      }
      if (!at_.emplace(name, at_.size()).second) {
        fail(fmt::format("the column '{}' comes twice", name));
      }
    }
    for (const std::string_view name : names.first(required)) {
      if (at_.contains(name)) continue;
      fail(fmt::format("the column '{}' is missing, expected {}", name, fmt::join(names, ",")));
    }
  }

  [[nodiscard]] bool next() {
    std::string_view line;
    if (!reader_.next(line)) return false;
    line_ = line;
    split_fields(line_, fields_);
    if (fields_.size() != at_.size()) {
      fail(fmt::format("{} fields, expected {} as in the header line", fields_.size(), at_.size()));
    }
    return true;
  }

  [[nodiscard]] std::string name(std::string_view column) const {
    if (field(column).empty()) fail(fmt::format("{} is empty, expected a name", column));
    return std::string(field(column));
  }

  [[nodiscard]] SimTime seconds(
      std::string_view column,
      std::string_view expected = "seconds since the window's start, such as 3600.5") const {
    SimTime time{0};
    if (parse_seconds(field(column), time)) return time;
    fail(fmt::format("{} is {}, expected {}", column, quoted_excerpt(field(column)), expected));
  }

  [[nodiscard]] ResourceAmount amount(std::string_view column, ResourceAmount least) const {
    ResourceAmount value = 0;
    if (!at_.contains(column)) return value;
    if (parse_amount(field(column), least, value)) return value;
    fail(fmt::format("{} is {}, expected a whole number from {} to {}", column,
                     quoted_excerpt(field(column)), least, kMaxResourceAmount));
  }

  [[nodiscard]] bool has(std::string_view column) const { return at_.contains(column); }
  [[nodiscard]] std::size_t line_number() const { return reader_.line_number(); }
  [[noreturn]] void fail(const std::string& what) const { reader_.fail(what); }

 private:
  [[nodiscard]] std::string_view field(std::string_view column) const {
    return fields_[at_.find(column)->second];
  }

  LineReader reader_;
  std::map<std::string, std::size_t, std::less<>> at_;  // of each column
  std::string line_;
  std::vector<std::string_view> fields_;
};

template <class Row>
LifeFile<Row> file_at(const std::filesystem::path& path) {
  return {.path = path.string(), .sha256 = sha256_hex(read_stored_file(path))};
}

/// Of one host, the windows that were read so far, by start.
using Windows = std::map<SimTime, const NamedOutage>;

void require_apart(const TableReader& table, Windows& windows, const NamedOutage& outage) {
  const auto refuse = [&](const NamedOutage& other) {
    table.fail(
        fmt::format("the host '{}' is out from {} to {} s already (line {}), expected "
                    "windows that do not overlap",
                    outage.host, seconds_text(other.start), seconds_text(other.end), other.line));
  };
  const auto after = windows.lower_bound(outage.start);
  if (after != windows.end() && after->second.start < outage.end) refuse(after->second);
  if (after != windows.begin() && std::prev(after)->second.end > outage.start) {
    refuse(std::prev(after)->second);
  }
  windows.emplace(outage.start, outage);
}

}  // namespace

LifeFile<NamedOutage> read_outages(const std::filesystem::path& path, OutageKind kind) {
  static constexpr std::array<std::string_view, 4> kColumns{"host", "start_s", "end_s", "notice_s"};
  const std::span<const std::string_view> columns(kColumns);
  auto file = file_at<NamedOutage>(path);
  TableReader table(path, kind == OutageKind::kMaintenance ? columns : columns.first(3), 3);
  std::map<std::string, Windows> windows_of;
  while (table.next()) {
    NamedOutage outage{.host = table.name("host"),
                       .start = table.seconds("start_s"),
                       .end = table.seconds("end_s"),
                       .line = table.line_number()};
    if (outage.end <= outage.start) {
      table.fail(fmt::format("end_s is {}, expected a time after start_s, {}",
                             seconds_text(outage.end), seconds_text(outage.start)));
    }
    constexpr std::string_view kNotice = "how many seconds before start_s it is given";
    const SimTime notice = table.has("notice_s") ? table.seconds("notice_s", kNotice) : SimTime{0};
    if (notice < SimTime{0}) {
      table.fail(fmt::format("notice_s is {}, expected {}", seconds_text(notice), kNotice));
    }
    outage.notice = outage.start - notice;
    require_apart(table, windows_of[outage.host], outage);
    file.rows.push_back(std::move(outage));
  }
  return file;
}

LifeFile<NamedResize> read_resizes(const std::filesystem::path& path) {
  static constexpr std::array<std::string_view, 5> kColumns{"instance_id", "time_s", "vcpus",
                                                            "memory_mb", "disk_gb"};
  auto file = file_at<NamedResize>(path);
  TableReader table(path, kColumns, 4);
  std::map<std::pair<std::string, SimTime>, std::size_t> line_of;
  while (table.next()) {
    NamedResize resize{.instance = table.name("instance_id"),
                       .time = table.seconds("time_s"),
                       .size = {table.amount("vcpus", 1), table.amount("memory_mb", 0),
                                table.amount("disk_gb", 0)},
                       .line = table.line_number()};
    const auto [first, is_new] = line_of.try_emplace({resize.instance, resize.time}, resize.line);
    if (!is_new) {
      table.fail(fmt::format("the instance '{}' is resized at {} s on line {} too", resize.instance,
                             seconds_text(resize.time), first->second));
    }
    file.rows.push_back(std::move(resize));
  }
  return file;
}

}  // namespace cospot
