#include "sim_harness/base/json/json_file.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/errors.hpp"
#include "sim_harness/base/files/gzip.hpp"
#include "sim_harness/base/files/stored_file.hpp"
#include "sim_harness/base/text/plain_text.hpp"

namespace cospot {

JsonFile::JsonFile(std::filesystem::path path)
    : path_(std::move(path)), connection_(SqliteConnection::in_memory(path_.string())) {
  document_ = unpacked_text(read_stored_file(path_), path_.string());
  if (const std::size_t at = find_non_text(document_); at != std::string::npos) {
    fail(non_text_fault(document_[at]));
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
