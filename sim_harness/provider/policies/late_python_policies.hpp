#pragma once

#include <atomic>
#include <filesystem>
#include <memory>

#include "sim_harness/provider/policies/policy_loader.hpp"

namespace cospot {

/// The places in the program that the shared library which embeds Python must know.
struct PythonHostPlaces {
  std::filesystem::path package;  ///< the folder that contains the Python package cospot
};

/// Names of the functions that the library exports.
inline constexpr const char* kPythonHostVersionSymbol = "cospot_python_host_version";
inline constexpr const char* kMakePythonPoliciesSymbol = "cospot_make_python_policies";
using PythonHostVersion = const char* (*)();
/// The caller owns the loader. Errors: ConfigError.
using MakePythonPolicies = PolicyLoader* (*)(const PythonHostPlaces&);

/// Loads the library that embeds Python only when a Python policy is named. A program that names
/// none starts as fast as without Python, and the machine needs no libpython.
class LatePythonPolicies final : public PolicyLoader {
 public:
  void search_first(const std::filesystem::path& folder) override { folder_ = folder; }
  void stop_when(const std::atomic<bool>* interrupted) override { interrupted_ = interrupted; }
  void load(FilterSpec& spec) override { loaded().load(spec); }
  void load(WeigherSpec& spec) override { loaded().load(spec); }
  void load(EvictorSpec& spec) override { loaded().load(spec); }

 private:
  PolicyLoader& loaded();

  std::filesystem::path folder_;
  const std::atomic<bool>* interrupted_ = nullptr;
  std::unique_ptr<PolicyLoader> policies_;
};

}  // namespace cospot
