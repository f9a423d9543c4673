#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/errors.hpp"
#include "core/parse_number.hpp"
#include "sim_harness/base/json/json_file.hpp"
#include "sim_harness/base/text/date_time.hpp"
#include "sim_harness/data/imports/import_table.hpp"
#include "sim_harness/data/imports/kubernetes_nodes.hpp"
#include "sim_harness/data/imports/timestamps.hpp"

namespace cospot {
namespace {

constexpr std::array<std::string_view, 19> kColumns{
    "uid",        "name",        "namespace",      "owner_kind",
    "owner_name", "priority",    "priority_class", "preemption_policy",
    "qos_class",  "phase",       "node",           "cpu",
    "memory",     "created",     "started",        "finished",
    "labels",     "annotations", "node_selector"};
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
  json_extract(?1, '$.spec.nodeSelector'),
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
  std::size_t item = 0;  ///< of the first snapshot that has it
  Look first;            ///< that has it
  Look seen;             ///< the last that has it
};

/// Pods that belong to their node: no scheduler may move them.
bool is_of_node(const Pod& pod) {
  return pod.fields[kOwnerKind] == "DaemonSet" || pod.fields[kOwnerKind] == "Node";
}

double number_of(const std::string& text) { return parse_number(text).value_or(0); }

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
    std::ranges::sort(looks_);
    std::ranges::stable_sort(pods_, {},
                             [](const Pod& pod) { return std::tie(pod.first, pod.item); });
    end_vanished();
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
  [[nodiscard]] std::vector<ImportedHost> hosts() const override { return nodes_.hosts(); }

  [[nodiscard]] std::optional<Observation> observation() const override {
    const std::optional<SimTime> first = parse_date_time(looks_.front().at);
    const std::optional<SimTime> last = parse_date_time(looks_.back().at);
    if (!first || !last) return {};
    Observation observation{.first = *first, .last = *last};
    observation.begins = looks_.size() == 1
                             ? "the only snapshot"
                             : fmt::format("the first of {} snapshots", looks_.size());
    if (without_heartbeat_.empty()) return observation;
    observation.doubt = fmt::format(
        "{}: no node tells when the snapshot was taken, so it counts as taken when its newest pod "
        "began or ended; kubectl get pods,nodes -A -o json has the nodes",
        without_heartbeat_);
    return observation;
  }

 private:
  void read_snapshot(const std::filesystem::path& file, std::size_t number) {
    JsonFile document(file);
    std::optional<SqliteStatement> read_pod;
    std::optional<SqliteStatement> read_containers;
    std::vector<Pod> pods;
    KubernetesNodes nodes;
    std::string heartbeat;
    std::string newest;
    SqliteStatement items =
        document.select("SELECT json_extract(value, '$.kind'), value FROM json_each(?, '$.items')");
    for (std::size_t item = 1; items.step(); ++item) {
      const std::string kind = items.read_text();
      const std::string value = items.read_text();
      if (kind == "Node") heartbeat = std::max(heartbeat, nodes.read(document, value));
      if (kind != "Pod") continue;
      if (!read_pod) {
        read_pod.emplace(document.connection(), kPodSql);
        read_containers.emplace(document.connection(), kContainersSql);
      }
      Pod pod{.place = fmt::format("{}: item {}", file.string(), item),
              .fields = std::vector<std::string>(kColumns.size()),
              .fault = {},
              .item = item,
              .first = {},
              .seen = {}};
      read_pod->bind(value);
      (void)read_pod->step();
      for (std::string& field : pod.fields) field = read_pod->read_text();
      newest = std::max(newest, read_pod->read_text());
      (void)read_pod->step();
      read_needs(*read_containers, value, pod);
      pods.push_back(std::move(pod));
    }
    if (heartbeat.empty() && without_heartbeat_.empty()) without_heartbeat_ = file.string();
    const Look look{std::max(heartbeat, newest), number};
    looks_.push_back(look);
    for (Pod& pod : pods) keep(std::move(pod), look);
    nodes_.merge(nodes, look);
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
        cpu.add(kind, kubernetes_quantity(cpu_text));
        memory.add(kind, kubernetes_quantity(memory_text));
      } catch (const InputError& error) {
        pod.fault = error.what();
      }
    }
    pod.fields[kCpu] = fmt::format("{}", cpu.amount());
    pod.fields[kMemory] = fmt::format("{}", memory.amount());
  }

  /// Of a pod the latest look counts; its place among the rows is where it was seen first, so that
  /// the order of the files does not matter.
  void keep(Pod pod, const Look& look) {
    pod.first = look;
    pod.seen = look;
    const auto [known, is_new] = row_of_uid_.try_emplace(pod.fields[kUid], pods_.size());
    if (is_new || pod.fields[kUid].empty()) {
      pods_.push_back(std::move(pod));
      return;
    }
    Pod& before = pods_[known->second];
    if (before.first < look) {
      pod.first = before.first;
      pod.item = before.item;
    }
    if (look < before.seen) {
      before.first = pod.first;
      before.item = pod.item;
    } else {
      before = std::move(pod);
    }
  }

  /// The next look after the last that has a pod lacks it: it is gone; when, is known to lie
  /// before.
  void end_vanished() {
    for (Pod& pod : pods_) {
      const auto next = std::ranges::upper_bound(looks_, pod.seen);
      if (next == looks_.end() || !pod.fault.empty()) continue;
      if (pod.fields[kFinished].empty()) pod.fields[kFinished] = next->at;
    }
  }

  void take_off_daemons() {
    for (const Pod& pod : pods_) {
      if (!pod.fault.empty() || !is_of_node(pod) || !pod.fields[kFinished].empty()) continue;
      nodes_.take_off(pod.fields[kNode], number_of(pod.fields[kCpu]),
                      number_of(pod.fields[kMemory]));
    }
  }

  std::vector<Pod> pods_;
  std::unordered_map<std::string, std::size_t> row_of_uid_;  // never iterated
  KubernetesNodes nodes_;
  std::vector<Look> looks_;
  std::string without_heartbeat_;  ///< the first file whose nodes, if any, have none
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<ImportTable> open_kubernetes(std::span<const std::filesystem::path> files) {
  return std::make_unique<KubernetesTable>(files);
}

}  // namespace cospot
