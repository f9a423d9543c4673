#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "sim_harness/base/text/text_table.hpp"
#include "sim_harness/data/reconstruction/recovered_sizes.hpp"

namespace cospot {
namespace {

std::string_view status_text(const RecoveredSize& size) {
  switch (size.recovery) {
    case Recovery::kRecovered:
      return "recovered";
    case Recovery::kNoMachineType:
      return "no_machine_type";
    case Recovery::kNoVmType:
      return "no_vm_type";
    case Recovery::kInconsistent:
      break;
  }
  if (!size.memory_inconsistent) return "inconsistent_vcpus";
  return size.vcpus_inconsistent ? "inconsistent_both" : "inconsistent_memory";
}

void append_row(std::string& text, std::string_view kind, const RecoveredSize& size) {
  const bool is_vm_type = kind == "vm_type";
  const std::string requests = is_vm_type ? fmt::format("{}", size.requests) : std::string();
  if (size.recovery == Recovery::kRecovered) {
    fmt::format_to(std::back_inserter(text), "{},{},recovered,{},{},{},{}\n", kind, size.id,
                   size.group, size.vcpus, size.memory, requests);
  } else {
    fmt::format_to(std::back_inserter(text), "{},{},{},,,,{}\n", kind, size.id, status_text(size),
                   requests);
  }
}

/// One line about the VM types that `matches`, or nothing when there are none.
template <class Matches>
void append_left_out(std::string& text, const RecoveredSizes& sizes, std::string_view why,
                     const Matches& matches) {
  std::vector<std::int64_t> ids;
  for (const RecoveredSize& size : sizes.vm_types) {
    if (matches(size)) ids.push_back(size.id);
  }
  if (ids.empty()) return;
  fmt::format_to(std::back_inserter(text), "{} {}: {}\n", ids.size(), why, fmt::join(ids, " "));
}

}  // namespace

std::string recovered_sizes_csv(const RecoveredSizes& sizes) {
  std::string text = "kind,id,status,group,vcpus,memory,requests\n";
  for (const RecoveredSize& size : sizes.machine_types) append_row(text, "machine_type", size);
  for (const RecoveredSize& size : sizes.vm_types) append_row(text, "vm_type", size);
  return text;
}

std::string recovered_sizes_text(const RecoveredSizes& sizes) {
  const auto recovered =
      std::ranges::count(sizes.vm_types, Recovery::kRecovered, &RecoveredSize::recovery);
  std::string text = fmt::format("{} of {} requested VM types have consistent sizes\n", recovered,
                                 sizes.vm_types.size());
  append_left_out(text, sizes, "left out, inconsistent vcpus",
                  [](const RecoveredSize& size) { return size.vcpus_inconsistent; });
  append_left_out(text, sizes, "left out, inconsistent memory",
                  [](const RecoveredSize& size) { return size.memory_inconsistent; });
  append_left_out(
      text, sizes, "left out, on none of the machine types",
      [](const RecoveredSize& size) { return size.recovery == Recovery::kNoMachineType; });
  TextTable table;
  for (const char* title : {"machine type", "group", "vcpus", "memory"}) table.add_column(title);
  for (const RecoveredSize& size : sizes.machine_types) {
    if (size.recovery != Recovery::kRecovered) continue;
    table.add_row({fmt::format("{}", size.id), fmt::format("{}", size.group),
                   fmt::format("{}", size.vcpus), fmt::format("{}", size.memory)});
  }
  text += table.text();
  if (sizes.groups > 1) {
    text += fmt::format(
        "There are {} groups that share no VM type: their sizes have scales of their own, which "
        "--host-cores and --host-memory can set.\n",
        sizes.groups);
  }
  return text;
}

}  // namespace cospot
