#include "sim_harness/provider/policies/late_python_policies.hpp"

#include <dlfcn.h>
#include <fmt/core.h>

#include <array>
#include <string_view>
#include <system_error>

#include "core/errors.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibraryName = "cospot_python_host.so";

/// Looks for a file beside the program, as in a build folder, and where an installation puts it.
fs::path find_beside_program(const fs::path& name) {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  const std::array<fs::path, 2> places{folder / name,
                                       folder.parent_path() / "lib" / "cospot" / name};
  for (const fs::path& place : places) {
    if (fs::exists(place, error)) return place;
  }
  throw ConfigError(
      fmt::format("Python policies need {}, which is neither at {} nor at {}; expected all of "
                  "cospot built (cmake --build) or installed",
                  name.string(), places[0].string(), places[1].string()));
}

template <class Function>
Function find_function(void* library, const char* name, const fs::path& path) {
  if (void* found = dlsym(library, name)) return reinterpret_cast<Function>(found);
  throw ConfigError(
      fmt::format("{} is not the Python host of this cospot: it has no {}", path.string(), name));
}

std::unique_ptr<PolicyLoader> load_library() {
  const fs::path path = find_beside_program(kLibraryName);
  const PythonHostPlaces places{.package = find_beside_program("python/cospot").parent_path()};
  // Never closed: objects that it makes may be dropped at any later time.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw ConfigError(fmt::format("Python policies cannot be used here: {}", dlerror()));
  }
  const std::string_view found =
      find_function<PythonHostVersion>(library, kPythonHostVersionSymbol, path)();
  if (found != COSPOT_VERSION) {
    throw ConfigError(
        fmt::format("{} is version {}, expected {}", path.string(), found, COSPOT_VERSION));
  }
  const auto make = find_function<MakePythonPolicies>(library, kMakePythonPoliciesSymbol, path);
  return std::unique_ptr<PolicyLoader>(make(places));
}

}  // namespace

PolicyLoader& LatePythonPolicies::loaded() {
  if (policies_ == nullptr) policies_ = load_library();
  policies_->search_first(folder_);
  policies_->stop_when(interrupted_);
  return *policies_;
}

}  // namespace cospot
