#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "core/errors.hpp"
#include "sim_harness/files/json_file.hpp"
#include "sim_harness/files/plain_text.hpp"
#include "sim_harness/imports/import_table.hpp"
#include "sim_harness/imports/sql_quantity.hpp"

namespace cospot {
namespace {

constexpr std::array<std::string_view, 18> kColumns{
    "uid",        "name",       "namespace",      "owner_kind",
    "owner_name", "priority",   "priority_class", "preemption_policy",
    "qos_class",  "phase",      "node",           "cpu",
    "memory",     "created",    "started",        "finished",
    "labels",     "annotations"};
constexpr std::size_t kUid = 0;
constexpr std::size_t kOwnerKind = 3;
constexpr std::size_t kNode = 10;
constexpr std::size_t kCpu = 11;
constexpr std::size_t kMemory = 12;
constexpr std::size_t kFinished = 15;

/// The columns of one pod, ?1, without cpu and memory, and last the latest time in it.
constexpr std::string_view kPodSql = R"sql(
WITH finished AS (
  SELECT max(json_extract(value, '$.state.terminated.finishedAt')) AS at
  FROM json_each(?1, '$.status.containerStatuses')
  WHERE json_extract(?1, '$.status.phase') IN ('Succeeded', 'Failed')
)
SELECT json_extract(?1, '$.metadata.uid'), json_extract(?1, '$.metadata.name'),
  json_extract(?1, '$.metadata.namespace'), json_extract(?1, '$.metadata.ownerReferences[0].kind'),
  json_extract(?1, '$.metadata.ownerReferences[0].name'), json_extract(?1, '$.spec.priority'),
  json_extract(?1, '$.spec.priorityClassName'), json_extract(?1, '$.spec.preemptionPolicy'),
  json_extract(?1, '$.status.qosClass'), json_extract(?1, '$.status.phase'),
  json_extract(?1, '$.spec.nodeName'), '', '',
  json_extract(?1, '$.metadata.creationTimestamp'), json_extract(?1, '$.status.startTime'),
  finished.at, json_extract(?1, '$.metadata.labels'), json_extract(?1, '$.metadata.annotations'),
  max(coalesce(json_extract(?1, '$.metadata.creationTimestamp'), ''),
      coalesce(json_extract(?1, '$.status.startTime'), ''), coalesce(finished.at, ''))
FROM finished)sql";

/// What the containers of a pod ask for: whether they run before the others, cpu, memory.
constexpr std::string_view kContainersSql = R"sql(
SELECT 0, json_extract(value, '$.resources.requests.cpu'),
  json_extract(value, '$.resources.requests.memory')
FROM json_each(?1, '$.spec.containers')
UNION ALL
SELECT coalesce(json_extract(value, '$.restartPolicy'), '') <> 'Always',
  json_extract(value, '$.resources.requests.cpu'), json_extract(value, '$.resources.requests.memory')
FROM json_each(?1, '$.spec.initContainers')
UNION ALL
SELECT 2, json_extract(?1, '$.spec.overhead.cpu'), json_extract(?1, '$.spec.overhead.memory'))sql";

/// A quantity, or 0 where there is none. Errors: InputError of what is no quantity.
double quantity_of(const std::string& text) {
  if (text.empty()) return 0;
  const std::optional<double> amount = parse_quantity(text);
  if (amount && *amount >= 0) return *amount;
  throw InputError(fmt::format("{} is no quantity from 0, expected one such as 500m or 2Gi",
                               quoted_excerpt(text)));
}

/// What a pod needs of one resource: what its containers ask for together, or its largest init
/// container if that is more (one that restarts always runs beside the others), and the overhead.
class PodNeed {
 public:
  void add(std::int64_t kind, double amount) {
    if (kind == 0) together_ += amount;
    if (kind == 1) largest_ = std::max(largest_, amount);
    if (kind == 2) overhead_ += amount;
  }
  [[nodiscard]] double amount() const { return std::max(together_, largest_) + overhead_; }

 private:
  double together_ = 0;
  double largest_ = 0;
  double overhead_ = 0;
};

struct Pod {
  std::string place;
  std::vector<std::string> fields;
  std::string fault;
  std::size_t snapshot = 0;  ///< the last that has it
};

struct Node {
  double cpu = 0;
  double memory = 0;
  double daemon_cpu = 0;  ///< what pods that run on every node take of it
  double daemon_memory = 0;
};

/// Pods that belong to their node: no scheduler may move them.
bool is_of_node(const Pod& pod) {
  return pod.fields[kOwnerKind] == "DaemonSet" || pod.fields[kOwnerKind] == "Node";
}

double number_of(const std::string& text) { return text.empty() ? 0 : std::stod(text); }

class KubernetesTable final : public ImportTable {
 public:
  explicit KubernetesTable(std::span<const std::filesystem::path> files) {
    columns_.assign(kColumns.begin(), kColumns.end());
    fault_kind_ = "pods with quantities that are none";
    for (std::size_t i = 0; i < files.size(); ++i) read_snapshot(files[i], i);
    if (pods_.empty()) {
      throw WorkloadError(fmt::format(
          "{}: there are no pods, expected the output of kubectl get pods,nodes -A -o json",
          files.front().string()));
    }
    take_off_daemons();
  }

  [[nodiscard]] bool next() override {
    if (next_ == pods_.size()) return false;
    const Pod& pod = pods_[next_++];
    fault_ = pod.fault;
    fields_.assign(pod.fields.begin(), pod.fields.end());
    return true;
  }
  [[nodiscard]] std::string place() const override { return pods_[next_ - 1].place; }

  [[nodiscard]] std::vector<ImportedHosts> hosts() const override {
    // By what kubelet may give away; of nodes that are alike the smallest rest counts.
    std::map<std::tuple<double, double>, ImportedHosts> types;
    for (const auto& [name, node] : nodes_) {
      const ResourceVector rest{
          .vcpus = static_cast<ResourceAmount>(std::floor((node.cpu - node.daemon_cpu) * 1000)),
          .memory_mb =
              static_cast<ResourceAmount>(std::floor((node.memory - node.daemon_memory) / 0x1p20))};
      ImportedHosts& hosts =
          types.try_emplace({node.cpu, node.memory}, ImportedHosts{rest, 0}).first->second;
      hosts.total.vcpus = std::min(hosts.total.vcpus, rest.vcpus);
      hosts.total.memory_mb = std::min(hosts.total.memory_mb, rest.memory_mb);
      ++hosts.count;
    }
    std::vector<ImportedHosts> found;
    for (const auto& [type, hosts] : types) found.push_back(hosts);
    std::ranges::stable_sort(found, std::ranges::greater(), &ImportedHosts::count);
    return found;
  }

 private:
  void read_snapshot(const std::filesystem::path& file, std::size_t snapshot) {
    JsonFile document(file);
    std::optional<SqliteStatement> read_pod;
    std::optional<SqliteStatement> read_containers;
    std::string latest;
    SqliteStatement items =
        document.select("SELECT json_extract(value, '$.kind'), value FROM json_each(?, '$.items')");
    for (std::size_t item = 1; items.step(); ++item) {
      const std::string kind = items.read_text();
      const std::string value = items.read_text();
      if (kind == "Node") read_node(document, value);
      if (kind != "Pod") continue;
      if (!read_pod) {
        read_pod.emplace(document.connection(), kPodSql);
        read_containers.emplace(document.connection(), kContainersSql);
      }
      Pod pod{.place = fmt::format("{}: item {}", file.string(), item),
              .fields = std::vector<std::string>(kColumns.size()),
              .fault = {},
              .snapshot = snapshot};
      read_pod->bind(value);
      (void)read_pod->step();
      for (std::string& field : pod.fields) field = read_pod->read_text();
      latest = std::max(latest, read_pod->read_text());
      (void)read_pod->step();
      read_needs(*read_containers, value, pod);
      keep(std::move(pod));
    }
    end_vanished(snapshot, latest);
  }

  static void read_needs(SqliteStatement& containers, const std::string& value, Pod& pod) {
    PodNeed cpu;
    PodNeed memory;
    containers.bind(value);
    while (containers.step()) {
      const std::int64_t kind = containers.read_integer();
      const std::string cpu_text = containers.read_text();
      const std::string memory_text = containers.read_text();
      try {
        cpu.add(kind, quantity_of(cpu_text));
        memory.add(kind, quantity_of(memory_text));
      } catch (const InputError& error) {
        pod.fault = error.what();
      }
    }
    pod.fields[kCpu] = fmt::format("{}", cpu.amount());
    pod.fields[kMemory] = fmt::format("{}", memory.amount());
  }

  void keep(Pod pod) {
    const auto [known, is_new] = row_of_uid_.try_emplace(pod.fields[kUid], pods_.size());
    if (is_new || pod.fields[kUid].empty()) {
      pods_.push_back(std::move(pod));
    } else {
      pods_[known->second] = std::move(pod);
    }
  }

  /// What this snapshot lacks is gone; when, is known to lie before it.
  void end_vanished(std::size_t snapshot, const std::string& latest) {
    for (Pod& pod : pods_) {
      const bool is_gone = pod.snapshot < snapshot && pod.fault.empty();
      if (is_gone && pod.fields[kFinished].empty()) pod.fields[kFinished] = latest;
    }
  }

  void read_node(JsonFile& document, const std::string& value) {
    SqliteStatement read(document.connection(),
                         "SELECT json_extract(?1, '$.metadata.name'), "
                         "json_extract(?1, '$.status.allocatable.cpu'), "
                         "json_extract(?1, '$.status.allocatable.memory')");
    read.bind(value);
    (void)read.step();
    const std::string name = read.read_text();
    Node node;
    try {
      node.cpu = quantity_of(read.read_text());
      node.memory = quantity_of(read.read_text());
    } catch (const InputError& error) {
      document.fail(fmt::format("node {}: {}", name, error.what()));
    }
    nodes_[name] = node;
  }

  void take_off_daemons() {
    for (const Pod& pod : pods_) {
      if (!pod.fault.empty() || !is_of_node(pod) || !pod.fields[kFinished].empty()) continue;
      const auto node = nodes_.find(pod.fields[kNode]);
      if (node == nodes_.end()) continue;
      node->second.daemon_cpu += number_of(pod.fields[kCpu]);
      node->second.daemon_memory += number_of(pod.fields[kMemory]);
    }
  }

  std::vector<Pod> pods_;
  std::unordered_map<std::string, std::size_t> row_of_uid_;  // never iterated
  std::map<std::string, Node> nodes_;
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<ImportTable> open_kubernetes(std::span<const std::filesystem::path> files) {
  return std::make_unique<KubernetesTable>(files);
}

}  // namespace cospot
