#pragma once

#include "bindings/python_host/interpreter.hpp"
#include "sim_harness/provider/policies/policy_loader.hpp"

namespace cospot::python_host {

/// Finds policies in the Python of this process, which it starts.
class PythonPolicies final : public PolicyLoader {
 public:
  /// Errors: ConfigError when Python does not start.
  explicit PythonPolicies(const InterpreterPaths& paths) { start_interpreter(paths); }
  ~PythonPolicies() override { finish_output(); }
  PythonPolicies(const PythonPolicies&) = delete;
  PythonPolicies& operator=(const PythonPolicies&) = delete;

  void search_first(const std::filesystem::path& folder) override;
  void stop_when(const std::atomic<bool>* interrupted) override { interrupted_ = interrupted; }
  [[nodiscard]] MakeFilter load_filter(const std::string& name,
                                       const PolicyOptions& options) override;
  [[nodiscard]] MakeWeigher load_weigher(const std::string& name,
                                         const PolicyOptions& options) override;
  [[nodiscard]] MakeEvictor load_evictor(const std::string& name,
                                         const PolicyOptions& options) override;

 private:
  std::filesystem::path searched_;
  const std::atomic<bool>* interrupted_ = nullptr;
};

}  // namespace cospot::python_host
