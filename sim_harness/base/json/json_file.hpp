#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sim_harness/base/files/sqlite_connection.hpp"

namespace cospot {

/// A JSON data file (plain or gzip), queried by SQLite's JSON functions. Configurations are read as
/// YAML instead (configuration/yaml_reader.hpp), which knows line numbers but is slow.
///
/// Errors: WorkloadError if the file cannot be read or contains no JSON.
class JsonFile {
 public:
  explicit JsonFile(std::filesystem::path path);

  /// A query over `json_each(?)` or `json_extract(?, ...)` with the document already bound as its
  /// only parameter.
  [[nodiscard]] SqliteStatement select(std::string_view sql);

  /// For adding functions for select(), and for statements on parts of the document.
  [[nodiscard]] SqliteConnection& connection() { return connection_; }

  /// Throws a WorkloadError that starts with the file's name.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  std::filesystem::path path_;
  std::string document_;
  SqliteConnection connection_;
};

}  // namespace cospot
