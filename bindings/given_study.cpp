#include "bindings/given_study.hpp"

#include <filesystem>
#include <optional>

#include "bindings/arguments.hpp"

namespace cospot::bindings {

namespace py = pybind11;

GivenStudy read_given_study(const py::object& study, std::string_view name,
                            const std::vector<std::string>& overrides, GivenPolicies& policies) {
  if (py::isinstance<py::dict>(study)) {
    const std::string where(name);
    StudyFile file;
    file.policies = &policies;
    file.root = with_overrides(sweep_tree(study, where, policies), overrides);
    return {file, where};
  }
  const std::filesystem::path path = read_path(study, name);
  return {read_study_file(path, overrides, std::nullopt, policies), path.string()};
}

GivenStudy read_given_study(const py::object& study, std::string_view name,
                            const py::kwargs& settings, GivenPolicies& policies) {
  GivenStudy given = read_given_study(study, name, std::vector<std::string>{}, policies);
  std::vector<ConfigEntry>& entries = given.file.root.entries;
  for (ConfigEntry& entry : sweep_tree(settings, std::string(name), policies).entries) {
    std::erase_if(entries, [&](const ConfigEntry& old) { return old.key == entry.key; });
    entries.push_back(std::move(entry));
  }
  return given;
}

std::vector<std::string> read_overrides(const py::iterable& given) {
  if (py::isinstance<py::str>(given)) {
    throw py::type_error("overrides is a str, expected a list of them, as [\"otn=[1,4]\"]");
  }
  std::vector<std::string> overrides;
  for (const py::handle assignment : given) {
    overrides.push_back(read_text(assignment, "overrides"));
  }
  return overrides;
}

}  // namespace cospot::bindings
