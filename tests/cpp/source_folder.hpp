#pragma once

#include <filesystem>

namespace cospot {

/// The folder of this project, for tests that read its files.
[[nodiscard]] std::filesystem::path source_folder();

}  // namespace cospot
