#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace cospot {

/// The bytes of a file. Errors: WorkloadError with the path and the reason.
[[nodiscard]] std::string read_stored_file(const std::filesystem::path& path);

/// Replaces the content of `path` by `bytes` atomically: writes them to a new file next to it and
/// renames that once everything is on disk. Errors: WorkloadError with the path and the reason;
/// then no temporary file remains.
void write_stored_file(const std::filesystem::path& path, std::string_view bytes);

/// The same for a text, gzip-compressed if the path ends in .gz.
void write_stored_text(const std::filesystem::path& path, std::string_view text);

}  // namespace cospot
