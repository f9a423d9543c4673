#pragma once

#include <filesystem>
#include <memory>

#include "sim_harness/data/imports/import_table.hpp"

namespace cospot {

/// A JSON file of objects: one per line, a list, or a document with a list at one of the shape's
/// paths. Columns are the shape's, or the members of the first objects.
[[nodiscard]] std::unique_ptr<ImportTable> open_json(const std::filesystem::path& file,
                                                     const TableShape& shape);

/// Tells whether the first character of a file, plain or gzip, starts a JSON object or list.
[[nodiscard]] bool starts_like_json(const std::filesystem::path& file);

/// The SQL path of a column: `a.b` is the member b of the member a, unless a member has that name.
[[nodiscard]] std::string json_path(std::string_view column);

}  // namespace cospot
