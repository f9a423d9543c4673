#include "sim_harness/base/json/json_file.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/errors.hpp"
#include "sim_harness/base/files/gzip.hpp"
#include "sim_harness/base/files/stored_file.hpp"

namespace cospot {

JsonFile::JsonFile(std::filesystem::path path)
    : path_(std::move(path)), connection_(SqliteConnection::in_memory(path_.string())) {
  document_ = read_stored_file(path_);
  if (is_gzip(document_)) {
    Unpacked unpacked = unpack_gzip(document_);
    if (!unpacked.fault.empty()) fail(unpacked.fault);
    document_ = std::move(unpacked.text);
  }
  SqliteStatement valid = select("SELECT json_valid(?)");
  if (!valid.step() || valid.read_integer() != 1) fail("is not valid JSON");
}

SqliteStatement JsonFile::select(std::string_view sql) {
  SqliteStatement statement(connection_, sql);
  statement.bind(document_);
  return statement;
}

void JsonFile::fail(std::string_view what) const {
  throw WorkloadError(fmt::format("{}: {}", path_.string(), what));
}

}  // namespace cospot
