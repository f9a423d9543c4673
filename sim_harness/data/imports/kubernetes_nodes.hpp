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

/// The time of a snapshot; at equal times, the one named first counts as earlier.
struct Look {
  std::string at{};  ///< in Kubernetes' notation, normalised to one form
  std::size_t file = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr) of a comparison that is defaulted
  friend auto operator<=>(const Look&, const Look&) = default;
};

/// A Kubernetes quantity, or 0 for an empty text. Errors: InputError for anything else.
[[nodiscard]] double kubernetes_quantity(const std::string& text);

/// The nodes of one or more snapshots.
class KubernetesNodes {
 public:
  /// Adds a node of the document. Returns its kubelet's last heartbeat; empty: none.
  std::string read(JsonFile& document, const std::string& value);

  /// Adds the nodes of a snapshot; the later snapshot of a node counts.
  void merge(const KubernetesNodes& snapshot, const Look& look);

  /// Subtracts the requests (CPUs and bytes) of a pod that belongs to the node itself.
  void take_off(const std::string& name, double cpus, double bytes);

  /// All nodes by name; nodes missing from the last snapshot with nodes are down.
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
