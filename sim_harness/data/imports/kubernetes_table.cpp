#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/errors.hpp"
#include "core/parse_number.hpp"
#include "sim_harness/base/json/json_file.hpp"
#include "sim_harness/base/text/date_time.hpp"
#include "sim_harness/base/text/plain_text.hpp"
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
constexpr std::size_t kPhase = 9;
constexpr std::size_t kNode = 10;
constexpr std::size_t kCpu = 11;
constexpr std::size_t kMemory = 12;
constexpr std::size_t kFinished = 15;

/// The columns of one pod, ?1, without cpu and memory, and last the latest time in it. An evicted
/// pod may have no container that tells when it ended; then it ended when it was chosen to go.
constexpr std::string_view kPodSql = R"sql(
WITH container AS (
  SELECT value FROM json_each(?1, '$.status.containerStatuses') WHERE type = 'object'
  UNION ALL
  SELECT value FROM json_each(?1, '$.status.initContainerStatuses') WHERE type = 'object'
), finished AS (
  SELECT coalesce(
    (SELECT max(json_extract(value, '$.state.terminated.finishedAt')) FROM container),
    (SELECT max(json_extract(value, '$.lastTransitionTime'))
     FROM json_each(?1, '$.status.conditions')
     WHERE type = 'object' AND json_extract(value, '$.type') = 'DisruptionTarget'
       AND json_extract(value, '$.status') = 'True')) AS at
  WHERE json_extract(?1, '$.status.phase') IN ('Succeeded', 'Failed')
  UNION ALL SELECT NULL LIMIT 1
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

/// The requests of a pod's parts, in this order: containers, init containers in theirs (which run
/// one after the other; one that restarts always goes on), the pod as a whole, overhead. For each:
/// the kind of part, whether a resize is refused, and of cpu, then memory, the requested, the
/// actual and the reserved amount.
constexpr std::string_view kNeedsSql = R"sql(
WITH status AS (
  SELECT json_extract(value, '$.name') AS name, value
  FROM json_each(?1, '$.status.containerStatuses') WHERE type = 'object'
  UNION ALL
  SELECT json_extract(value, '$.name'), value
  FROM json_each(?1, '$.status.initContainerStatuses') WHERE type = 'object'
), part AS (
  SELECT 0 AS kind, json_extract(value, '$.resources.requests') AS spec,
    (SELECT value FROM status WHERE name = json_extract(container.value, '$.name')) AS status
  FROM json_each(?1, '$.spec.containers') AS container WHERE type = 'object'
  UNION ALL
  SELECT iif(json_extract(value, '$.restartPolicy') = 'Always', 1, 2),
    json_extract(value, '$.resources.requests'),
    iif(json_extract(value, '$.restartPolicy') = 'Always',
        (SELECT value FROM status WHERE name = json_extract(container.value, '$.name')), NULL)
  FROM json_each(?1, '$.spec.initContainers') AS container WHERE type = 'object'
  UNION ALL
  SELECT 3, json_extract(?1, '$.spec.resources.requests'), NULL
  UNION ALL
  SELECT 4, json_extract(?1, '$.spec.overhead'), NULL
)
SELECT kind,
  coalesce(json_extract(?1, '$.status.resize') = 'Infeasible', 0) OR
  EXISTS (SELECT 1 FROM json_each(?1, '$.status.conditions') WHERE type = 'object'
          AND json_extract(value, '$.type') = 'PodResizePending'
          AND json_extract(value, '$.reason') = 'Infeasible'),
  json_extract(spec, '$.cpu'), json_extract(status, '$.resources.requests.cpu'),
  json_extract(status, '$.allocatedResources.cpu'),
  json_extract(spec, '$.memory'), json_extract(status, '$.resources.requests.memory'),
  json_extract(status, '$.allocatedResources.memory')
FROM part)sql";

/// A pod's need of one resource, as its scheduler counts: the most that runs at a time, or the
/// statement of the whole pod, and the overhead.
class PodNeed {
 public:
  /// A part of a kind of kNeedsSql.
  void add(std::int64_t kind, std::optional<double> stated) {
    const double amount = stated.value_or(0);
    if (kind == 0 || kind == 1) together_ += amount;
    if (kind == 1) sidecars_ += amount;
    if (kind == 1 || kind == 2) most_ = std::max(most_, sidecars_ + (kind == 2 ? amount : 0));
    if (kind == 3) whole_ = stated;
    if (kind == 4) overhead_ = amount;
  }
  [[nodiscard]] double amount() const {
    return whole_.value_or(std::max(together_, most_)) + overhead_;
  }

 private:
  double together_ = 0;  ///< once all run
  double sidecars_ = 0;  ///< so far
  double most_ = 0;      ///< before that
  std::optional<double> whole_;
  double overhead_ = 0;
};

/// The amount that counts for a part during a resize: the larger of the requested and the actual
/// one; the actual one where no node can give more. Reads three columns of kNeedsSql.
std::optional<double> counted(SqliteStatement& part, bool is_refused) {
  std::optional<double> asked;
  std::optional<double> has;
  for (std::optional<double>* amount : {&asked, &has, &has}) {
    const std::string text = part.read_text();
    if (!text.empty()) *amount = std::max(amount->value_or(0), kubernetes_quantity(text));
  }
  if (!has) return asked;
  return is_refused ? has : std::max(asked.value_or(0), *has);
}

struct Pod {
  std::string place;
  std::vector<std::string> fields;
  std::string fault;
  std::size_t item = 0;        ///< of the first snapshot that has it
  Look first;                  ///< that has it
  Look seen;                   ///< the last that has it
  std::optional<Look> over{};  ///< the first that shows that it failed or succeeded
};

bool is_over(const Pod& pod) {
  return pod.fields[kPhase] == "Succeeded" || pod.fields[kPhase] == "Failed";
}

/// Pods that belong to their node: no scheduler may move them.
bool is_of_node(const Pod& pod) {
  return pod.fields[kOwnerKind] == "DaemonSet" || pod.fields[kOwnerKind] == "Node";
}

double number_of(const std::string& text) { return parse_number(text).value_or(0); }

/// The pods and nodes of one file.
class SnapshotReader {
 public:
  SnapshotReader(JsonFile& document, std::string file)
      : file_(std::move(file)), connection_(&document.connection()) {}

  std::vector<Pod> pods{};
  KubernetesNodes nodes{};
  std::string newest{};  ///< the latest time in a pod

  void read_pod(const std::string& value, std::size_t item) {
    Pod pod{.place = fmt::format("{}: item {}", file_, item),
            .fields = std::vector<std::string>(kColumns.size()),
            .fault = {},
            .item = item,
            .first = {},
            .seen = {}};
    if (!pod_) {
      pod_.emplace(*connection_, kPodSql);
      needs_.emplace(*connection_, kNeedsSql);
    }
    pod_->bind(value);
    (void)pod_->step();
    for (std::string& field : pod.fields) field = pod_->read_text();
    newest = std::max(newest, pod_->read_text());
    (void)pod_->step();
    read_needs(value, pod);
    pods.push_back(std::move(pod));
  }

 private:
  void read_needs(const std::string& value, Pod& pod) {
    PodNeed cpu;
    PodNeed memory;
    needs_->bind(value);
    while (needs_->step()) {
      const std::int64_t kind = needs_->read_integer();
      const bool is_refused = needs_->read_integer() != 0;
      if (!pod.fault.empty()) continue;
      try {
        cpu.add(kind, counted(*needs_, is_refused));
        memory.add(kind, counted(*needs_, is_refused));
      } catch (const InputError& error) {
        pod.fault = error.what();
      }
    }
    pod.fields[kCpu] = fmt::format("{}", cpu.amount());
    pod.fields[kMemory] = fmt::format("{}", memory.amount());
  }

  std::string file_;
  SqliteConnection* connection_;
  std::optional<SqliteStatement> pod_;
  std::optional<SqliteStatement> needs_;
};

class KubernetesTable final : public ImportTable {
 public:
  explicit KubernetesTable(std::span<const std::filesystem::path> files) {
    columns_.assign(kColumns.begin(), kColumns.end());
    fault_kind_ = "pods that cannot be read";
    for (std::size_t i = 0; i < files.size(); ++i) read_snapshot(files[i], i);
    if (pods_.empty()) {
      throw WorkloadError(fmt::format(
          "{}: there are no pods, expected the output of kubectl get pods,nodes -A -o json",
          files.front().string()));
    }
    std::ranges::sort(looks_);
    std::ranges::stable_sort(pods_, {},
                             [](const Pod& pod) { return std::tie(pod.first, pod.item); });
    for (Pod& pod : pods_) end(pod);
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
  [[nodiscard]] std::string next_page() const override {
    return pages_.empty() ? "" : "metadata.continue";
  }

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
  /// Reads one file. Only one with pods is a look at them, and only one with nodes at those.
  void read_snapshot(const std::filesystem::path& file, std::size_t number) {
    JsonFile document(file);
    SqliteStatement list = document.select(
        "SELECT coalesce(json_extract(?1, '$.kind'), ''), json_extract(?1, '$.metadata.continue'), "
        "json_extract(?1, '$.metadata.resourceVersion')");
    (void)list.step();
    std::string kind_of_all = list.read_text();
    const bool has_next_page = !list.read_text().empty();
    const std::string version = list.read_text();
    // The API's own lists state the kind of their items once.
    kind_of_all.resize(kind_of_all.size() - (kind_of_all.ends_with("List") ? 4 : 0));
    SnapshotReader reader(document, file.string());
    std::string heartbeat;
    SqliteStatement items = document.select(
        "SELECT key, json_extract(value, '$.kind'), value FROM json_each(?, '$.items') "
        "WHERE type = 'object'");
    while (items.step()) {
      const auto item = static_cast<std::size_t>(items.read_integer()) + 1;
      const std::string own_kind = items.read_text();
      const std::string kind = own_kind.empty() ? kind_of_all : own_kind;
      const std::string value = items.read_text();
      if (kind == "Node") heartbeat = std::max(heartbeat, reader.nodes.read(document, value));
      if (kind == "Pod") reader.read_pod(value, item);
    }
    const Look look{std::max(heartbeat, reader.newest), number};
    nodes_.merge(reader.nodes, look);
    if (reader.pods.empty() && kind_of_all != "Pod") return;
    if (heartbeat.empty() && without_heartbeat_.empty()) without_heartbeat_ = file.string();
    for (Pod& pod : reader.pods) keep(std::move(pod), look);
    add_look(look, version, has_next_page);
  }

  /// The pages of one list are one look, at the time of the earliest.
  void add_look(const Look& look, const std::string& version, bool has_next_page) {
    if (version.empty() && !has_next_page) return looks_.push_back(look);
    const auto [known, is_new] = page_looks_.try_emplace(version, looks_.size());
    if (is_new) {
      looks_.push_back(look);
      pages_.insert(version);
    } else {
      looks_[known->second] = std::min(looks_[known->second], look);
    }
    if (!has_next_page) pages_.erase(version);
  }

  /// The latest look at a pod counts. Its place among the rows is that of the first look, so that
  /// the order of the files does not matter.
  void keep(Pod pod, const Look& look) {
    pod.first = look;
    pod.seen = look;
    if (is_over(pod)) pod.over = look;
    const auto [known, is_new] = row_of_uid_.try_emplace(pod.fields[kUid], pods_.size());
    if (is_new || pod.fields[kUid].empty()) {
      pods_.push_back(std::move(pod));
      return;
    }
    Pod& before = pods_[known->second];
    if (before.seen == look) {
      pod.fault = fmt::format("the uid {} comes twice, also in {}",
                              quoted_excerpt(pod.fields[kUid]), before.place);
    }
    if (pod.over && before.over) pod.over = std::min(*pod.over, *before.over);
    if (before.over && !pod.over) pod.over = before.over;
    if (before.first < look) {
      pod.first = before.first;
      pod.item = before.item;
    }
    if (look < before.seen) {
      before.first = pod.first;
      before.item = pod.item;
      before.over = pod.over;
    } else {
      before = std::move(pod);
    }
  }

  /// A pod that is over without a time ended before the first look that shows it so, if there is
  /// one before that; one that the next look lacks ended before it.
  void end(Pod& pod) const {
    std::string& finished = pod.fields[kFinished];
    if (!pod.fault.empty() || !finished.empty()) return;
    if (pod.over) {
      if (looks_.size() > 1 && looks_.front().at < pod.over->at) finished = pod.over->at;
      return;
    }
    const auto next = std::ranges::upper_bound(looks_, pod.seen.at, {}, &Look::at);
    if (next != looks_.end()) finished = next->at;
  }

  void take_off_daemons() {
    for (const Pod& pod : pods_) {
      if (!pod.fault.empty() || !is_of_node(pod) || is_over(pod)) continue;
      if (!pod.fields[kFinished].empty()) continue;
      nodes_.take_off(pod.fields[kNode], number_of(pod.fields[kCpu]),
                      number_of(pod.fields[kMemory]));
    }
  }

  std::vector<Pod> pods_;
  std::unordered_map<std::string, std::size_t> row_of_uid_;  // never iterated
  KubernetesNodes nodes_;
  std::vector<Look> looks_;                        ///< at pods
  std::map<std::string, std::size_t> page_looks_;  ///< by the version of the list
  std::set<std::string> pages_;                    ///< versions without a last page
  std::string without_heartbeat_;  ///< the first file whose nodes, if any, have none
  std::size_t next_ = 0;
};

}  // namespace

std::unique_ptr<ImportTable> open_kubernetes(std::span<const std::filesystem::path> files) {
  return std::make_unique<KubernetesTable>(files);
}

}  // namespace cospot
