#pragma once

#include <string>

#include "sim_harness/data/downloads/part_file.hpp"

namespace cospot {

/// Downloads `url` (http or https) into `part`. Goes on where an earlier download broke off when
/// the server still has the same version of the file and can send a part of it; starts again
/// otherwise. Shows on a terminal how far it is.
///
/// Errors: InputError says what became of the connection or what the server answered, and what is
/// kept. ConfigError when cospot was built without libcurl.
void download_file(const std::string& url, PartFile& part);

}  // namespace cospot
