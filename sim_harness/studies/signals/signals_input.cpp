#include "sim_harness/studies/signals/signals_input.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/digest.hpp"
#include "core/errors.hpp"
#include "sim_harness/base/configuration/config_value.hpp"
#include "sim_harness/base/files/path_expansion.hpp"
#include "sim_harness/base/files/stored_file.hpp"

namespace cospot {

SignalsInput::SignalsInput(std::vector<File> files)
    : files_(std::make_shared<const std::vector<File>>(std::move(files))) {}

const SignalsInput::File& SignalsInput::file_of(const AvailabilityTrace& trace,
                                                const std::string& subject) const {
  if (files_->size() == 1) return files_->front();
  for (const File& file : *files_) {
    if (!trace.history.empty() && file.signals.history == trace.history) return file;
  }
  throw ConfigError(fmt::format(
      "{}: none of the {} files of signals was learned from its history{}; expected one that was",
      subject, files_->size(), trace.history.empty() ? "" : " " + trace.history));
}

const FlavorSignals& SignalsInput::of(const AvailabilityTrace& trace,
                                      const std::string& subject) const {
  const File& file = file_of(trace, subject);
  if (trace.flavor) return file.signals.of(*trace.flavor, file.label);
  throw ConfigError(fmt::format(
      "{}: states no flavor, expected metadata.vcpus and metadata.memory_mb, as `cospot "
      "signals HISTORY --traces FOLDER` writes them",
      subject));
}

void SignalsInput::require_held_out(const AvailabilityTrace& trace, SimTime start,
                                    const std::string& subject) const {
  const File& file = file_of(trace, subject);
  if (trace.history.empty() || trace.history != file.signals.history) return;
  if (hours_of(start) >= file.signals.learned_until_hours) return;
  throw ConfigError(fmt::format(
      "{}: a job may start after {:g} h, and {} was learned from the first {:g} h of the same "
      "history; expected a later start (start_hours, windows), or signals learned from less "
      "(cospot signals --learn-days)",
      subject, hours_of(start), file.label, file.signals.learned_until_hours));
}

std::vector<InputRecord> SignalsInput::records() const {
  std::vector<InputRecord> records;
  for (const File& file : *files_) {
    records.push_back({.label = file.label,
                       .sha256 = sha256_hex(read_stored_file(file.path)),
                       .name = file.label});
  }
  return records;
}

Json SignalsInput::labels() const {
  return json_list_of(*files_, [](const File& file) { return Json(file.label); });
}

std::optional<SignalsInput> read_signals_input(const StudyFile& file) {
  const ConfigNode* node = file.root.find(kSignalsKey);
  if (node == nullptr) return std::nullopt;
  std::vector<SignalsInput::File> files;
  for (const ConfigNode* item : read_list(*node, kSignalsKey)) {
    try {
      for (const ExpandedPath& one : expand_path(read_text(*item, kSignalsKey), file.folder)) {
        files.push_back({one.label, one.file, read_signals_file(one.file)});
      }
    } catch (const InputError& error) {
      throw ConfigError(fmt::format("{}: {}", key_place(*item, kSignalsKey), error.what()));
    }
  }
  return SignalsInput(std::move(files));
}

void require_signals(const ConfigNode& root, std::string_view key, const std::string& name) {
  if (root.find(kSignalsKey) != nullptr) return;
  throw ConfigError(fmt::format(
      "{}: '{}' goes by the provider's signals; expected the key signals too, or --signals: a file "
      "that `cospot signals HISTORY -o FILE` wrote",
      key_place(*root.find(std::string(key)), key), name));
}

}  // namespace cospot
