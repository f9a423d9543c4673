#include "tests/cpp/source_folder.hpp"

namespace cospot {

std::filesystem::path source_folder() { return COSPOT_SOURCE_DIR; }

}  // namespace cospot
