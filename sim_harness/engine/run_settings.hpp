#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/plugin.hpp"
#include "core/resource_vector.hpp"

namespace cospot {

/// One weigher of a chain as the user configured it.
struct WeigherSpec {
  std::string name;  ///< as in `cospot list weighers`
  double multiplier = 1.0;
  std::map<std::string, PluginOptions::Value> options{};
};

/// How one kind of request is ranked: a single paper policy, or Nova's way, several weighers whose
/// normalised weights are multiplied and summed.
struct ChainSpec {
  std::string label;  ///< what result rows call it: the policy's name unless the user gave another
  std::vector<WeigherSpec> weighers;
};

struct EvictorSpec {
  std::string label;
  std::string name;  ///< as in `cospot list evictors`
  std::map<std::string, PluginOptions::Value> options{};
};

/// One allocator combination: everything a run needs beside its workload.
struct RunSettings {
  ResourceVector host;    ///< totals of every host
  std::size_t hosts = 0;  ///< how many there are
  ChainSpec vm;
  ChainSpec spot;
  EvictorSpec evictor;
  bool saf = false;
  std::size_t otn = 1;
};

}  // namespace cospot
