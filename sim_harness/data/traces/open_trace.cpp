#include <fmt/format.h>

#include <array>
#include <fstream>
#include <string_view>

#include "core/errors.hpp"
#include "sim_harness/data/traces/csv_trace.hpp"
#include "sim_harness/data/traces/packing_trace.hpp"
#include "sim_harness/data/traces/sqlite_trace.hpp"

namespace cospot {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, std::string_view what) {
  throw WorkloadError(fmt::format("{}: {}", file.string(), what));
}

/// Says why a file cannot be opened at all, before anything is made of its content.
void check_readable(const std::filesystem::path& file) {
  std::error_code ignored;
  const auto status = std::filesystem::status(file, ignored);
  if (!std::filesystem::exists(status)) fail(file, "cannot be read: there is no such file");
  if (std::filesystem::is_directory(status)) {
    fail(file, "cannot be read: it is a directory, expected a file");
  }
  if (!std::ifstream(file)) fail(file, "cannot be read: it cannot be opened");
}

bool is_zip_archive(const std::filesystem::path& file) {
  std::array<char, 4> head{};
  std::ifstream stream(file, std::ios::binary);
  return stream.read(head.data(), head.size()) &&
         std::string_view(head.data(), head.size()) == "PK\x03\x04";
}

}  // namespace

std::unique_ptr<PackingTrace> open_packing_trace(const std::filesystem::path& trace,
                                                 const std::filesystem::path& types) {
  check_readable(trace);
  if (is_zip_archive(trace)) {
    fail(trace,
         "is a zip archive, expected the SQLite file in it; unpack it first, for example with "
         "`python3 -m zipfile -e FILE FOLDER`");
  }
  if (is_sqlite_file(trace)) {
    if (types.empty()) return std::make_unique<SqliteTrace>(trace);
    fail(trace, "is an SQLite file with a table vmType of its own, expected no --types");
  }
  if (types.empty()) {
    fail(trace,
         "is not an SQLite file, expected one with the tables vm and vmType, or two CSV "
         "files: that of vm and --types with that of vmType");
  }
  check_readable(types);
  return std::make_unique<CsvTrace>(trace, types);
}

}  // namespace cospot
