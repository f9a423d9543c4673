#include "bindings/given_study.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "bindings/arguments.hpp"
#include "bindings/workloads.hpp"
#include "core/errors.hpp"

namespace cospot::bindings {

namespace py = pybind11;

namespace {

constexpr std::size_t kMaxDepth = 32;

ConfigNode scalar(std::string text, const std::string& where, bool quoted) {
  ConfigNode node;
  node.kind = ConfigNode::Kind::kScalar;
  node.where = where;
  node.text = std::move(text);
  node.quoted = quoted;
  return node;
}

std::string text_of(const PluginOptions::Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  return fmt::format("{}", std::get<double>(value));
}

bool is_mapping(py::handle value) {
  return py::isinstance<py::dict>(value) ||
         py::isinstance(value, py::module_::import("collections.abc").attr("Mapping"));
}

/// Turns Python values into nodes; knows where it is.
class TreeMaker {
 public:
  explicit TreeMaker(GivenPolicies& policies) : policies_(&policies) {}

  ConfigNode make(py::handle value, const std::string& where) {
    if (depth_ >= kMaxDepth) {
      throw ConfigError(fmt::format("{}: nested more than {} levels deep", where, kMaxDepth));
    }
    ++depth_;
    ConfigNode node = make_any(value, where);
    --depth_;
    return node;
  }

 private:
  ConfigNode make_any(py::handle value, const std::string& where) {
    if (value.is_none()) {
      ConfigNode node;
      node.where = where;
      return node;
    }
    if (PyBool_Check(value.ptr()) != 0) {
      return scalar(value.cast<bool>() ? "true" : "false", where, false);
    }
    if (py::isinstance<py::str>(value)) return scalar(read_text(value, where), where, true);
    if (is_mapping(value)) return mapping(value, where);
    if (py::isinstance<PythonChain>(value)) {
      return chain(value.cast<const PythonChain&>(), where);
    }
    if (is_weigher_pair(value)) return weigher_pair(value, where);
    if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value) ||
        PyRange_Check(value.ptr()) != 0) {
      return list(value, where);
    }
    if (py::isinstance<PythonWorkload>(value)) return workload(value, where);
    return make_policy_or_number(value, where);
  }

  ConfigNode make_policy_or_number(py::handle value, const std::string& where) {
    if (py::isinstance<CompiledFilter>(value)) {
      return compiled(value.cast<const CompiledFilter&>().spec, where);
    }
    if (py::isinstance<CompiledWeigher>(value)) {
      return compiled(value.cast<const CompiledWeigher&>().spec, where);
    }
    if (py::isinstance<CompiledEvictor>(value)) {
      return compiled(value.cast<const CompiledEvictor&>().spec, where);
    }
    for (const char* base : {"Weigher", "Evictor", "Filter"}) {
      if (is_python_policy(value, base)) return scalar(policies_->add(value), where, true);
    }
    // Arrays and scalars of NumPy, series of pandas and the like.
    if (py::hasattr(value, "tolist")) return make(value.attr("tolist")(), where);
    if (PyIndex_Check(value.ptr()) != 0) {
      return scalar(fmt::format("{}", read_integer(value, where, INT64_MIN, INT64_MAX)), where,
                    false);
    }
    if (py::hasattr(value, "__fspath__")) {
      return scalar(read_path(value, where).string(), where, true);
    }
    if (PyNumber_Check(value.ptr()) == 0) {
      throw ArgumentError(
          fmt::format("{} is of type {}, expected a name or path, a number, a policy, a Workload, "
                      "or a list or dict of these",
                      where, type_name(value)));
    }
    return scalar(fmt::format("{}", read_finite(value, where)), where, false);
  }

  ConfigNode workload(py::handle value, const std::string& where) {
    WorkloadSpec spec = workloads_.add(value.cast<const PythonWorkload&>());
    ConfigNode node = scalar(fmt::format("<Workload {}>", spec.label), where, true);
    node.given = std::move(spec);
    return node;
  }

  ConfigNode list(py::handle values, const std::string& where) {
    ConfigNode node;
    node.kind = ConfigNode::Kind::kList;
    node.where = where;
    // A copy: reading a value may run code that changes the list.
    const py::tuple items(py::reinterpret_borrow<py::object>(values));
    for (std::size_t i = 0; i < items.size(); ++i) {
      node.items.push_back(make(items[i], fmt::format("{}[{}]", where, i)));
    }
    return node;
  }

  ConfigNode mapping(py::handle values, const std::string& where) {
    ConfigNode node;
    node.kind = ConfigNode::Kind::kMapping;
    node.where = where;
    const py::list items(values.attr("items")());
    for (const py::handle item : items) {
      const auto pair = py::reinterpret_borrow<py::tuple>(item);
      std::string key = read_text(pair[0], where + ": a key");
      const std::string place = where + "." + key;
      // `name: <policy>` may be any policy; its own options then stand beside its name.
      ConfigNode value = make(pair[1], place);
      if (key == "name" && value.kind == ConfigNode::Kind::kMapping) {
        for (ConfigEntry& entry : value.entries) add(node, std::move(entry));
        continue;
      }
      add(node, {std::move(key), place, std::move(value)});
    }
    return node;
  }

  static void add(ConfigNode& mapping, ConfigEntry entry) {
    if (mapping.find(entry.key) != nullptr) {
      throw ConfigError(fmt::format("{}: duplicate key '{}'", mapping.where, entry.key));
    }
    mapping.entries.push_back(std::move(entry));
  }

  template <class Spec>
  static ConfigNode compiled(const Spec& spec, const std::string& where) {
    if (spec.options.empty()) return scalar(spec.name, where, true);
    ConfigNode node;
    node.kind = ConfigNode::Kind::kMapping;
    node.where = where;
    add(node, {"name", where, scalar(spec.name, where, true)});
    for (const auto& [key, value] : spec.options) {
      const bool is_text = std::holds_alternative<std::string>(value);
      add(node, {key, where, scalar(text_of(value), where, is_text)});
    }
    return node;
  }

  static bool is_weigher_pair(py::handle value) {
    if (!py::isinstance<py::tuple>(value) || py::len(value) != 2) return false;
    const auto pair = py::reinterpret_borrow<py::tuple>(value);
    const py::handle entry = pair[0];
    const bool is_weigher = py::isinstance<py::str>(entry) ||
                            py::isinstance<CompiledWeigher>(entry) ||
                            is_python_policy(entry, "Weigher");
    const py::handle multiplier = pair[1];
    return is_weigher && PyNumber_Check(multiplier.ptr()) != 0 &&
           PyBool_Check(multiplier.ptr()) == 0;
  }

  ConfigNode weigher_pair(py::handle value, const std::string& where) {
    const auto pair = py::reinterpret_borrow<py::tuple>(value);
    ConfigNode node = make(pair[0], where);
    if (node.kind == ConfigNode::Kind::kScalar) {
      ConfigNode named;
      named.kind = ConfigNode::Kind::kMapping;
      named.where = where;
      add(named, {"name", where, std::move(node)});
      node = std::move(named);
    }
    add(node, {"multiplier", where, make(pair[1], where)});
    return node;
  }

  ConfigNode chain(const PythonChain& chain, const std::string& where) {
    ConfigNode node;
    node.kind = ConfigNode::Kind::kMapping;
    node.where = where;
    add(node, {"label", where, scalar(chain.spec().label, where, true)});
    if (!chain.filters().empty()) {
      add(node, {"filters", where, list(chain.filters(), where + ".filters")});
    }
    add(node, {"weighers", where, list(chain.weighers(), where + ".weighers")});
    return node;
  }

  GivenPolicies* policies_;
  GivenWorkloads workloads_{};
  std::size_t depth_ = 0;
};

}  // namespace

std::string GivenPolicies::add(py::handle policy) {
  const std::string name = policy_name(policy);
  for (int number = 1;; ++number) {
    std::string numbered = number == 1 ? name : fmt::format("{}#{}", name, number);
    const auto [found, is_new] =
        policies_.emplace(numbered, py::reinterpret_borrow<py::object>(policy));
    if (is_new || found->second.is(policy)) return numbered;
  }
}

py::object GivenPolicies::find(const std::string& name, const PolicyOptions& options) const {
  const auto found = policies_.find(name);
  if (found == policies_.end()) return {};
  // A class takes options as its constructor does; an object has them already.
  if (options.empty()) return found->second;
  if (PyType_Check(found->second.ptr()) == 0) {
    throw ConfigError(fmt::format("{}: unknown option '{}'; an object has its options already",
                                  name, options.begin()->first));
  }
  const py::object type = found->second;
  return py::module_::import("functools").attr("partial")(type, **to_keywords(options));
}

py::object named_candidates(const py::object& candidates, GivenPolicies& policies) {
  if (is_python_policy(candidates, "Weigher") || is_python_policy(candidates, "Evictor")) {
    return py::str(policies.add(candidates));
  }
  if (!py::isinstance<py::list>(candidates) && !py::isinstance<py::tuple>(candidates)) {
    return candidates;
  }
  py::list named;
  for (const py::handle one : candidates) {
    named.append(named_candidates(py::reinterpret_borrow<py::object>(one), policies));
  }
  return named;
}

ConfigNode sweep_tree(py::handle sweep, const std::string& where, GivenPolicies& policies) {
  return TreeMaker(policies).make(sweep, where);
}

GivenStudy read_given_study(const py::object& study, std::string_view name,
                            const std::vector<std::string>& overrides, GivenPolicies& policies) {
  if (is_mapping(study)) {
    const std::string where(name);
    StudyFile file;
    file.policies = &policies;
    file.root = with_overrides(sweep_tree(study, where, policies), overrides);
    return {file, where, true};
  }
  const std::filesystem::path path = read_path(study, name);
  return {read_study_file(path, overrides, std::nullopt, policies), path.string(), false};
}

GivenStudy read_given_study(const py::object& study, std::string_view name,
                            const py::kwargs& settings, GivenPolicies& policies) {
  GivenStudy given = read_given_study(study, name, std::vector<std::string>{}, policies);
  std::vector<ConfigEntry>& entries = given.file.root.entries;
  for (ConfigEntry& entry : sweep_tree(settings, std::string(name), policies).entries) {
    std::erase_if(entries, [&](const ConfigEntry& old) { return old.key == entry.key; });
    entries.push_back(std::move(entry));
  }
  return given;
}

std::vector<std::string> read_overrides(const py::object& given) {
  std::vector<std::string> overrides;
  for (const py::object& assignment : read_items(given, "overrides", "texts, as [\"otn=[1,4]\"]")) {
    overrides.push_back(read_text(assignment, "overrides"));
  }
  return overrides;
}

}  // namespace cospot::bindings
