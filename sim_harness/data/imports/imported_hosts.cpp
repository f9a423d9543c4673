#include "sim_harness/data/imports/imported_hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <string_view>

namespace cospot {
namespace {

bool is_up(const ImportedHost& host, const ResourceVector& total) {
  return host.status == "up" && total.vcpus >= 1 && total.memory_mb >= 1;
}

std::string as_field(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return std::string_view(",;\"\r\n").find(c) != std::string_view::npos; },
      '_');
  return text;
}

}  // namespace

ResourceVector total_of(const ImportedHost& host, const VcpusUnit& unit) {
  // But for the last bit of a quotient such as 15.89 / 0.001.
  constexpr double kRounding = 1 + 1e-12;
  const auto whole = [](double amount) {
    return static_cast<ResourceAmount>(std::floor(amount * kRounding));
  };
  return {.vcpus = whole(host.vcpus / unit.vcpus), .memory_mb = whole(host.memory_mb)};
}

std::string hosts_csv(const std::vector<ImportedHost>& hosts, const VcpusUnit& unit) {
  std::string text = "name,type,vcpus,memory_mb,zone,status\n";
  for (const ImportedHost& host : hosts) {
    const ResourceVector total = total_of(host, unit);
    // A host of which nothing is left takes no request.
    const bool is_full = host.status == "up" && !is_up(host, total);
    text += fmt::format("{},{},{},{},{},{}\n", as_field(host.name), as_field(host.type),
                        std::max(total.vcpus, ResourceAmount{1}),
                        std::max(total.memory_mb, ResourceAmount{1}), as_field(host.zone),
                        is_full ? "disabled" : host.status);
  }
  return text;
}

std::string hosts_summary(const std::vector<ImportedHost>& hosts, const VcpusUnit& unit) {
  struct Type {
    ResourceVector least{};
    std::size_t count = 0;
    std::string name{};
  };
  std::map<std::string, Type> types;
  for (const ImportedHost& host : hosts) {
    const ResourceVector total = total_of(host, unit);
    if (!is_up(host, total)) continue;
    Type& type = types.try_emplace(host.type, Type{total, 0, host.type}).first->second;
    type.least.vcpus = std::min(type.least.vcpus, total.vcpus);
    type.least.memory_mb = std::min(type.least.memory_mb, total.memory_mb);
    ++type.count;
  }
  std::vector<Type> found;
  for (const auto& [name, type] : types) found.push_back(type);
  std::ranges::stable_sort(found, std::ranges::greater(), &Type::count);
  std::string text;
  for (const Type& type : found) {
    text += fmt::format("  hosts: {} of --host {},{} ({})\n", type.count, type.least.vcpus,
                        type.least.memory_mb, type.name);
  }
  return text;
}

}  // namespace cospot
