#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace cospot {

/// The bytes of a file. Errors: WorkloadError with the path and the reason.
[[nodiscard]] std::string read_stored_file(const std::filesystem::path& path);

/// Makes `bytes` the content of `path`, all or nothing: they go to a new file beside it, which
/// takes the name once everything is on disk. An old file of that name is replaced.
/// Errors: WorkloadError with the path and the reason; then nothing is left behind.
void write_stored_file(const std::filesystem::path& path, std::string_view bytes);

/// The same of a text, gzip-compressed if the path ends in .gz.
void write_stored_text(const std::filesystem::path& path, std::string_view text);

}  // namespace cospot
