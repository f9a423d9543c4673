#include "sim_harness/provider/disruptions/life_files.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/tables/table_reader.hpp"
#include "sim_harness/data/workloads/workload_fields.hpp"

namespace cospot {
namespace {

enum OutageColumn : std::size_t { kHost, kStart, kEnd, kNotice };
constexpr std::array<TableColumn, 4> kOutageColumns{
    {{"host"}, {"start_s"}, {"end_s"}, {"notice_s", false}}};

enum ResizeColumn : std::size_t { kInstance, kTime, kVcpus, kMemory, kDisk };
constexpr std::array<TableColumn, 5> kResizeColumns{
    {{"instance_id"}, {"time_s"}, {"vcpus"}, {"memory_mb"}, {"disk_gb", false}}};

/// To the digit, as workloads are read.
SimTime read_seconds(const TableReader& table, std::size_t column, std::string_view expected) {
  return table.value(column, parse_seconds, expected);
}

constexpr std::string_view kSinceStart = "seconds since the window's start, such as 3600.5";

template <class Row>
LifeFile<Row> file_at(const std::filesystem::path& path) {
  return {.path = path.string(), .sha256 = sha256_hex(read_stored_file(path))};
}

/// The windows of one host read so far, by start.
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
  const std::span<const TableColumn> columns(kOutageColumns);
  auto file = file_at<NamedOutage>(path);
  TableReader table(
      path, TableFormat{.columns = kind == OutageKind::kMaintenance ? columns : columns.first(3),
                        .rows = "outages",
                        .may_be_empty = true});
  std::map<std::string, Windows> windows_of;
  while (table.next()) {
    NamedOutage outage{.host = std::string(table.name(kHost)),
                       .start = read_seconds(table, kStart, kSinceStart),
                       .end = read_seconds(table, kEnd, kSinceStart),
                       .line = table.line_number()};
    if (outage.end <= outage.start) {
      table.fail(fmt::format("end_s is {}, expected a time after start_s, {}",
                             seconds_text(outage.end), seconds_text(outage.start)));
    }
    constexpr std::string_view kNoticeExpected = "how many seconds before start_s it is given";
    const bool has_notice = kind == OutageKind::kMaintenance && table.has(kNotice);
    const SimTime notice = has_notice ? read_seconds(table, kNotice, kNoticeExpected) : SimTime{0};
    if (notice < SimTime{0}) table.refuse(kNotice, kNoticeExpected);
    outage.notice = outage.start - notice;
    require_apart(table, windows_of[outage.host], outage);
    file.rows.push_back(std::move(outage));
  }
  return file;
}

LifeFile<NamedResize> read_resizes(const std::filesystem::path& path) {
  auto file = file_at<NamedResize>(path);
  TableReader table(
      path, TableFormat{.columns = kResizeColumns, .rows = "resizes", .may_be_empty = true});
  std::map<std::pair<std::string, SimTime>, std::size_t> line_of;
  while (table.next()) {
    NamedResize resize{
        .instance = std::string(table.name(kInstance)),
        .time = read_seconds(table, kTime, kSinceStart),
        .size = {table.amount(kVcpus, 1), table.amount(kMemory, 0), table.amount(kDisk, 0)},
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
