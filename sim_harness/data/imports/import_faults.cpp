#include "sim_harness/data/imports/import_faults.hpp"

#include <fmt/format.h>

#include "core/printable_text.hpp"

namespace cospot {

void ImportFaults::add(std::string_view place, std::string_view kind, const RowFault& fault) {
  ++count_;
  auto known = kinds_.find(kind);
  if (known == kinds_.end()) known = kinds_.emplace(kind, 0).first;
  if (++known->second > kShownOfKind || first_.size() == kShown) return;
  first_.push_back(
      printable_line(fmt::format("{}: {}{}{}", place, fault.found,
                                 fault.expected.empty() ? "" : ", expected ", fault.expected)));
}

std::string ImportFaults::text(std::uint64_t rows) const {
  std::string text =
      fmt::format("{} of {} rows cannot be used; nothing written (--skip-bad-rows leaves them out)",
                  count_, rows);
  for (const std::string& line : first_) text += "\n  " + line;
  if (count_ > first_.size()) text += fmt::format("\n  and {} more", count_ - first_.size());
  text += "\nby kind:";
  for (const auto& [name, count] : kinds_) {
    text += fmt::format("\n  {:>9}  {}", count, printable_line(name));
  }
  return text;
}

std::string ImportFaults::kinds_text() const {
  std::string text;
  for (const auto& [name, count] : kinds_) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  }
  return text;
}

}  // namespace cospot
