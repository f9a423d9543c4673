#include "sim_harness/data/imports/kubernetes_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/base/text/plain_text.hpp"
#include "sim_harness/data/imports/sql_quantity.hpp"

namespace cospot {
namespace {

/// Labels by their names of today, then by those before Kubernetes 1.17. A node is up unless its
/// kubelet says otherwise, or nobody has heard of it.
constexpr std::string_view kNodeSql = R"sql(
SELECT json_extract(?1, '$.metadata.name'),
  json_extract(?1, '$.status.allocatable.cpu'), json_extract(?1, '$.status.allocatable.memory'),
  coalesce(json_extract(?1, '$.metadata.labels."node.kubernetes.io/instance-type"'),
           json_extract(?1, '$.metadata.labels."beta.kubernetes.io/instance-type"')),
  coalesce(json_extract(?1, '$.metadata.labels."topology.kubernetes.io/zone"'),
           json_extract(?1, '$.metadata.labels."failure-domain.beta.kubernetes.io/zone"')),
  CASE WHEN json_extract(?1, '$.spec.unschedulable') THEN 'disabled'
       WHEN EXISTS (SELECT 1 FROM json_each(?1, '$.status.conditions')
                    WHERE json_extract(value, '$.type') = 'Ready'
                      AND json_extract(value, '$.status') <> 'True') THEN 'down'
       ELSE 'up' END,
  (SELECT max(json_extract(value, '$.lastHeartbeatTime'))
   FROM json_each(?1, '$.status.conditions')))sql";

}  // namespace

double kubernetes_quantity(const std::string& text) {
  if (text.empty()) return 0;
  const std::optional<double> amount = parse_quantity(text);
  if (amount && *amount >= 0) return *amount;
  throw InputError(fmt::format("{} is no quantity from 0, expected one such as 500m or 2Gi",
                               quoted_excerpt(text)));
}

std::string KubernetesNodes::read(JsonFile& document, const std::string& value) {
  SqliteStatement read(document.connection(), kNodeSql);
  read.bind(value);
  (void)read.step();
  std::string name = read.read_text();
  Node node;
  try {
    node.cpus = kubernetes_quantity(read.read_text());
    node.bytes = kubernetes_quantity(read.read_text());
  } catch (const InputError& error) {
    document.fail(fmt::format("node {}: {}", name, error.what()));
  }
  node.type = read.read_text();
  node.zone = read.read_text();
  node.status = read.read_text();
  std::string heartbeat = read.read_text();
  if (nodes_.contains(name))
    document.fail(fmt::format("node {} comes twice", quoted_excerpt(name)));
  nodes_.emplace(std::move(name), std::move(node));
  return heartbeat;
}

void KubernetesNodes::merge(const KubernetesNodes& snapshot, const Look& look) {
  for (const auto& [name, node] : snapshot.nodes_) {
    const auto [known, is_new] = nodes_.try_emplace(name, node);
    if (!is_new && look < known->second.seen) continue;
    known->second = node;
    known->second.seen = look;
  }
  if (!snapshot.nodes_.empty()) last_ = std::max(last_, look);
}

void KubernetesNodes::take_off(const std::string& name, double cpus, double bytes) {
  const auto node = nodes_.find(name);
  if (node == nodes_.end()) return;
  node->second.taken_cpus += cpus;
  node->second.taken_bytes += bytes;
}

std::vector<ImportedHost> KubernetesNodes::hosts() const {
  std::vector<ImportedHost> hosts;
  for (const auto& [name, node] : nodes_) {
    hosts.push_back({.name = name,
                     .type = node.type,
                     .zone = node.zone,
                     .status = node.seen == last_ ? node.status : "down",
                     .vcpus = node.cpus - node.taken_cpus,
                     .memory_mb = (node.bytes - node.taken_bytes) / 0x1p20});
    // Without a label, nodes are alike of which the kubelet may give away the same.
    if (!node.type.empty()) continue;
    hosts.back().type = fmt::format("{:g}cpu-{:g}mib", node.cpus, std::floor(node.bytes / 0x1p20));
  }
  return hosts;
}

}  // namespace cospot
