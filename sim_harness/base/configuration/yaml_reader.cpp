#include "sim_harness/base/configuration/yaml_reader.hpp"

#include <fmt/core.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "core/errors.hpp"
#include "sim_harness/base/text/plain_text.hpp"

namespace cospot {
namespace {

/// A real configuration has a few hundred bytes. The limits keep aliases of aliases from growing
/// without bound and deep nesting from exhausting the stack.
constexpr std::size_t kMaxTextBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxNodes = 50'000;
constexpr std::size_t kMaxDepth = 64;

std::size_t count_nodes(const ConfigNode& node) {
  std::size_t count = 1;
  for (const ConfigNode& item : node.items) count += count_nodes(item);
  for (const ConfigEntry& entry : node.entries) count += count_nodes(entry.value);
  return count;
}

/// Names the place of a mark in the text: `file:line`, or the `--set` argument itself, which has
/// one line.
class Places {
 public:
  Places(std::string source, bool has_lines) : source_(std::move(source)), lines_(has_lines) {}

  [[nodiscard]] std::string at(const YAML::Mark& mark) const {
    return lines_ ? fmt::format("{}:{}", source_, std::max(mark.line, 0) + 1) : source_;
  }

 private:
  std::string source_;
  bool lines_;
};

/// Builds the tree from the parser's events. Events, not yaml-cpp's own nodes, because those
/// drop duplicate keys and let an alias contain itself.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(Places places) : places_(std::move(places)) {
    root_.where = places_.at(YAML::Mark());
  }

  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(make_node(ConfigNode::Kind::kNull, mark), anchor);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    ConfigNode node = make_node(ConfigNode::Kind::kScalar, mark);
    node.text = value;
    node.quoted = tag == "!";  // yaml-cpp's mark of a quoted scalar; a plain one has "?"
    const bool is_null = !node.quoted && (value == "~" || value == "null");
    if (is_null) node.kind = ConfigNode::Kind::kNull;
    add(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end()) {
      throw ConfigError(places_.at(mark) + ": an alias cannot stand inside what it stands for");
    }
    node_count_ += count_nodes(found->second);
    check_size(mark);
    ConfigNode copy = found->second;
    copy.where = places_.at(mark);
    add(std::move(copy), 0);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(make_node(ConfigNode::Kind::kList, mark), anchor, mark);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(make_node(ConfigNode::Kind::kMapping, mark), anchor, mark);
  }
  void OnMapEnd() override { close(); }

  [[nodiscard]] ConfigNode take_root() { return std::move(root_); }

 private:
  struct OpenNode {
    ConfigNode node;
    YAML::anchor_t anchor;
    std::optional<ConfigEntry> entry;  ///< of a mapping: the key is read, its value is to come
  };

  ConfigNode make_node(ConfigNode::Kind kind, const YAML::Mark& mark) {
    ++node_count_;
    check_size(mark);
    ConfigNode node;
    node.kind = kind;
    node.where = places_.at(mark);
    return node;
  }

  void check_size(const YAML::Mark& mark) const {
    if (node_count_ <= kMaxNodes) return;
    throw ConfigError(fmt::format("{}: more than {} values; no configuration is that large",
                                  places_.at(mark), kMaxNodes));
  }

  void open(ConfigNode node, YAML::anchor_t anchor, const YAML::Mark& mark) {
    if (open_.size() >= kMaxDepth) {
      throw ConfigError(
          fmt::format("{}: nested more than {} levels deep", places_.at(mark), kMaxDepth));
    }
    open_.push_back({std::move(node), anchor, std::nullopt});
  }

  void close() {
    OpenNode closed = std::move(open_.back());
    open_.pop_back();
    add(std::move(closed.node), closed.anchor);
  }

  void add(ConfigNode node, YAML::anchor_t anchor) {
    if (anchor != 0) anchored_[anchor] = node;
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    OpenNode& parent = open_.back();
    if (parent.node.kind == ConfigNode::Kind::kList) {
      parent.node.items.push_back(std::move(node));
    } else if (parent.entry) {
      // The parser finds out only on the next line that a value is missing.
      if (node.kind == ConfigNode::Kind::kNull) node.where = parent.entry->where;
      parent.entry->value = std::move(node);
      parent.node.entries.push_back(std::move(*parent.entry));
      parent.entry.reset();
    } else {
      require_new_key(parent.node, node);
      parent.entry = ConfigEntry{std::move(node.text), std::move(node.where), {}};
    }
  }

  static void require_new_key(const ConfigNode& mapping, const ConfigNode& key) {
    if (key.kind != ConfigNode::Kind::kScalar) {
      throw ConfigError(key.where + ": a key must be a plain name");
    }
    for (const ConfigEntry& earlier : mapping.entries) {
      if (earlier.key != key.text) continue;
      throw ConfigError(fmt::format("{}: duplicate key '{}'; it is already set at {}", key.where,
                                    key.text, earlier.where));
    }
  }

  Places places_;
  ConfigNode root_;
  std::vector<OpenNode> open_;
  std::map<YAML::anchor_t, ConfigNode> anchored_;
  std::size_t node_count_ = 0;
};

/// Ignores every event.
class DocumentDetector final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnAlias(const YAML::Mark& /*mark*/, YAML::anchor_t /*anchor*/) override {}
  void OnScalar(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                const std::string& /*value*/) override {}
  void OnSequenceStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/,
                       YAML::anchor_t /*anchor*/, YAML::EmitterStyle::value /*style*/) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& /*mark*/, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {}
  void OnMapEnd() override {}
};

/// An argument of the command line is checked for its size alone: it may name a file in any bytes.
void reject_unreadable_bytes(const std::string& text, const std::string& source, bool is_file) {
  if (text.size() > kMaxTextBytes) {
    throw ConfigError(fmt::format("{}: {} bytes; a configuration has at most {}", source,
                                  text.size(), kMaxTextBytes));
  }
  if (!is_file) return;
  if (const std::string_view kind = other_kind_of_file(text); !kind.empty()) {
    throw ConfigError(fmt::format("{}: the file is {}", source, kind));
  }
  const std::size_t bad = find_non_text(text);
  if (bad == std::string::npos) return;
  const auto line =
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(bad), '\n');
  throw ConfigError(fmt::format("{}:{}: {}", source, line, non_text_fault(text[bad])));
}

ConfigNode parse(const std::string& text, const std::string& source, bool has_lines) {
  reject_unreadable_bytes(text, source, has_lines);
  const Places places(source, has_lines);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    TreeBuilder builder(places);
    parser.HandleNextDocument(builder);
    DocumentDetector more;  // its events are not needed: only whether there are any
    if (parser.HandleNextDocument(more)) {
      throw ConfigError(source + ": more than one YAML document; expected one");
    }
    return builder.take_root();
  } catch (const YAML::Exception& error) {
    throw ConfigError(fmt::format("{}: not valid YAML: {}", places.at(error.mark), error.msg));
  }
}

/// The value called `key`, added when there is none.
ConfigNode& value_of(ConfigNode& mapping, const std::string& key, const std::string& where) {
  for (ConfigEntry& entry : mapping.entries) {
    if (entry.key == key) return entry.value;
  }
  mapping.entries.push_back({key, where, {}});
  mapping.entries.back().value.where = where;
  return mapping.entries.back().value;
}

}  // namespace

const ConfigNode* ConfigNode::find(std::string_view key) const {
  for (const ConfigEntry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

ConfigNode parse_yaml(const std::string& text, const std::string& source) {
  return parse(text, source, true);
}

bool is_yaml_file(const std::filesystem::path& file) {
  return file.extension() == ".yaml" || file.extension() == ".yml";
}

ConfigNode read_yaml_file(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw ConfigError(file.string() + ": is a folder; expected a YAML file");
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw ConfigError(file.string() + ": cannot be opened; expected a YAML file");
  // One byte more than allowed, so that a device or a huge file is refused without reading it all.
  std::string text(kMaxTextBytes + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (stream.bad()) throw ConfigError(file.string() + ": cannot be read");
  return parse_yaml(text, file.string());
}

void add_missing_keys(ConfigNode& root, std::string_view mapping) {
  for (ConfigEntry& entry : parse_yaml(std::string(mapping), "the defaults").entries) {
    if (root.find(entry.key) == nullptr) root.entries.push_back(std::move(entry));
  }
}

void apply_override(ConfigNode& root, const std::string& assignment) {
  const std::string where = "--set " + assignment;
  const std::size_t equals = assignment.find('=');
  if (equals == 0 || equals == std::string::npos) {
    throw ConfigError(where + ": expected key=value, for example --set otn=[1,2]");
  }
  ConfigNode value = parse(assignment.substr(equals + 1), where, false);
  std::string path = assignment.substr(0, equals);
  ConfigNode* target = &root;
  std::istringstream parts(path + '.');
  for (std::string key; std::getline(parts, key, '.');) {
    if (key.empty()) throw ConfigError(where + ": an empty name in the key '" + path + "'");
    if (target->kind == ConfigNode::Kind::kNull) target->kind = ConfigNode::Kind::kMapping;
    if (target->kind != ConfigNode::Kind::kMapping) {
      throw ConfigError(fmt::format("{}: '{}' is set inside a value that is not a mapping ({})",
                                    where, key, target->where));
    }
    target = &value_of(*target, key, where);
  }
  *target = std::move(value);
}

}  // namespace cospot
