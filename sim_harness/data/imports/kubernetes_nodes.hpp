#pragma once

#include <compare>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim_harness/base/json/json_file.hpp"
#include "sim_harness/data/imports/import_table.hpp"

namespace cospot {

/// When a snapshot was taken; of those at one time, the one that was named first is the earlier.
struct Look {
  std::string at{};  ///< as Kubernetes writes times, all in one form
  std::size_t file = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr) of a comparison that is defaulted
  friend auto operator<=>(const Look&, const Look&) = default;
};

/// A Kubernetes quantity, or 0 where there is none. Errors: InputError of what is no quantity.
[[nodiscard]] double kubernetes_quantity(const std::string& text);

/// The nodes of one snapshot or more.
class KubernetesNodes {
 public:
  /// Takes in a node of the document. Returns its kubelet's last heartbeat; empty: it has none.
  std::string read(JsonFile& document, const std::string& value);

  /// Takes in those of a snapshot; of one node the later look counts.
  void merge(const KubernetesNodes& snapshot, const Look& look);

  /// Takes off a node what a pod that belongs to it asks for: CPUs and bytes.
  void take_off(const std::string& name, double cpus, double bytes);

  /// All of them by name; those that the last look at nodes lacks are down.
  [[nodiscard]] std::vector<ImportedHost> hosts() const;

 private:
  struct Node {
    double cpus = 0;
    double bytes = 0;
    double taken_cpus = 0;
    double taken_bytes = 0;
    std::string type;
    std::string zone;
    std::string status;
    Look seen;
  };
  std::map<std::string, Node, std::less<>> nodes_;
  Look last_;
};

}  // namespace cospot
