#include "sim_harness/data/imports/imported_workload.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/configuration/fields.hpp"
#include "sim_harness/base/configuration/named_files.hpp"
#include "sim_harness/base/interrupt/temporary_folder.hpp"
#include "sim_harness/data/imports/import_workload.hpp"
#include "sim_harness/data/workloads/csv_workload.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

template <class Text>
Field<ImportOptions> text_field(std::string_view key, Text ImportOptions::*member) {
  return {.key = key,
          .read = [member](const ConfigNode& value, std::string_view name,
                           ImportOptions& options) { options.*member = read_text(value, name); },
          .write = [member](const ImportOptions& options) -> std::optional<Json> {
            const std::optional<std::string> text = options.*member;
            return text && !text->empty() ? std::optional<Json>(*text) : std::nullopt;
          }};
}

template <class Text>
Field<ImportOptions> texts_field(std::string_view key, std::vector<Text> ImportOptions::*member) {
  return {.key = key,
          .read =
              [member](const ConfigNode& value, std::string_view name, ImportOptions& options) {
                for (const ConfigNode* item : read_list(value, name)) {
                  (options.*member).emplace_back(read_text(*item, name));
                }
              },
          .write = [member](const ImportOptions& options) -> std::optional<Json> {
            if ((options.*member).empty()) return std::nullopt;
            return json_list_of(options.*member,
                                [](const Text& text) { return Json(std::string(text)); });
          }};
}

const Fields<ImportOptions>& import_fields() {
  constexpr double kMostDays = 10'000;
  static const Fields<ImportOptions> fields{
      required(texts_field("import", &ImportOptions::files)),
      text_field("format", &ImportOptions::format),
      texts_field("map", &ImportOptions::map),
      texts_field("columns", &ImportOptions::columns),
      text_field("separator", &ImportOptions::separator),
      text_field("time_unit", &ImportOptions::time_unit),
      text_field("time_zone", &ImportOptions::time_zone),
      text_field("end", &ImportOptions::end),
      text_field("spot_if", &ImportOptions::spot_if),
      text_field("only", &ImportOptions::only),
      text_field("start_when", &ImportOptions::start_when),
      text_field("end_when", &ImportOptions::end_when),
      text_field("vcpus_unit", &ImportOptions::vcpus_unit),
      text_field("flavors", &ImportOptions::flavors),
      text_field("window_start", &ImportOptions::window_start),
      number_field("lead_days", &ImportOptions::lead_days, 0, kMostDays),
      flag_field("skip_bad_rows", &ImportOptions::skip_bad_rows)};
  return fields;
}

}  // namespace

WorkloadSpec import_spec(const ConfigNode& node, const fs::path& folder, std::string_view key) {
  require_known_keys(node, key, import_fields().keys({"label", "window_days"}));
  ImportOptions options;
  import_fields().read(node, key, options);
  WorkloadSpec spec;
  spec.import = compact_json(import_fields().json(options));
  spec.import_folder = folder;
  options.files.clear();
  for (const ConfigNode* file : read_list(*node.find("import"), "import")) {
    for (ExpandedPath& path : read_paths(*file, "import", folder)) {
      options.files.push_back(std::move(path.file));
    }
  }
  if (options.flavors) options.flavors = read_path(*node.find("flavors"), "flavors", folder).file;
  const TemporaryFolder imported("cospot-import");
  const fs::path file = imported.path() / "requests.csv";
  try {
    spec.made_unit = import_workload(options, file).vcpus_unit;
  } catch (const ConfigError& error) {  // which names an option
    throw ConfigError(key_place(node, key) + ": " + error.what());
  }
  spec.made = std::make_shared<const Workload>(read_workload(file));
  return spec;
}

std::string moved_import(const std::string& import, const fs::path& from, const fs::path& to) {
  Json json = parse_json(import, "import");
  const auto move = [&](Json& path) { path = relative_path(from / path.get<std::string>(), to); };
  for (Json& path : json["import"]) move(path);
  if (json.contains("flavors")) move(json["flavors"]);
  return compact_json(json);
}

}  // namespace cospot
