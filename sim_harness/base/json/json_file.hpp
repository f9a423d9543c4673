#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "sim_harness/base/files/sqlite_connection.hpp"

namespace cospot {

/// A JSON file of data (plain or gzip), queried by the JSON functions of SQLite. Configurations are
/// read as YAML instead (configuration/yaml_reader.hpp), which knows lines but is slow.
///
/// Errors: WorkloadError when the file cannot be read or holds no JSON.
class JsonFile {
 public:
  explicit JsonFile(std::filesystem::path path);

  /// A query over `json_each(?)` or `json_extract(?, ...)`; its only parameter, the document, is
  /// bound already.
  [[nodiscard]] SqliteStatement select(std::string_view sql);

  /// To add functions for select(), and for statements over parts of the document.
  [[nodiscard]] SqliteConnection& connection() { return connection_; }

  /// Throws a WorkloadError that starts with the file's name.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  std::filesystem::path path_;
  std::string document_;
  SqliteConnection connection_;
};

}  // namespace cospot
