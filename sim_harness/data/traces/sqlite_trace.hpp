#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim_harness/base/files/sqlite_connection.hpp"
#include "sim_harness/data/traces/packing_trace.hpp"

namespace cospot {

/// The tables `vm` and `vmType` of an SQLite file, read row by row. Requests are ordered by start
/// time, then vmId: the order of the published samples, which batched sampling relies on.
class SqliteTrace final : public PackingTrace {
 public:
  explicit SqliteTrace(const std::filesystem::path& file);

  [[nodiscard]] std::vector<TypeShare> read_shares() override;
  [[nodiscard]] std::map<std::int64_t, std::uint64_t> count_requests() override;
  void read_requests(const std::function<void(const TraceRequest&)>& take) override;

 private:
  void check_table(std::string_view table, std::span<const std::string_view> columns);
  [[noreturn]] void fail(std::string_view table, std::string_view what) const;

  SqliteConnection connection_;
};

/// Tells whether `file` starts like an SQLite database.
[[nodiscard]] bool is_sqlite_file(const std::filesystem::path& file);

}  // namespace cospot
