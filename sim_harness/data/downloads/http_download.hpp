#pragma once

#include <string>

#include "sim_harness/data/downloads/part_file.hpp"

namespace cospot {

/// Downloads `url` (http or https) into `part`. Resumes an interrupted download if the server still
/// has the same version of the file and supports ranges; otherwise starts again. Shows progress on
/// a terminal.
///
/// Errors: InputError with the connection's error or the server's answer, and what was kept.
/// ConfigError if cospot was built without libcurl.
void download_file(const std::string& url, PartFile& part);

}  // namespace cospot
