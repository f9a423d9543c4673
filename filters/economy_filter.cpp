#include "filters/economy_filter.hpp"

#include <string>

#include "core/errors.hpp"

namespace cospot {

EconomyFilter::EconomyFilter(const PluginOptions& options) {
  const std::string before = options.read_string("before_first_refresh", "reject");
  if (before != "reject" && before != "admit") {
    throw ConfigError("before_first_refresh is '" + before + "', expected one of: reject, admit");
  }
  admits_without_promise_ = before == "admit";
  options.reject_unknown();
}

}  // namespace cospot
