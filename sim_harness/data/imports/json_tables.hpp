#pragma once

#include <filesystem>
#include <memory>

#include "sim_harness/data/imports/import_table.hpp"

namespace cospot {

/// A JSON file of objects: one a line, a list of them, or a document that has such a list at one of
/// the shape's paths. Columns are the shape's, or the members of the first objects.
[[nodiscard]] std::unique_ptr<ImportTable> open_json(const std::filesystem::path& file,
                                                     const TableShape& shape);

/// Tells whether the first sign of a file, plain or gzip, is that of a JSON object or list.
[[nodiscard]] bool starts_like_json(const std::filesystem::path& file);

/// The SQL path of a column: `a.b` is the member b of the member a, unless a member is named so.
[[nodiscard]] std::string json_path(std::string_view column);

}  // namespace cospot
