#pragma once

#include <filesystem>
#include <string>

#include "sim_harness/base/files/stored_stream.hpp"
#include "sim_harness/customer/broker/broker_simulation.hpp"

namespace cospot {

/// Writes everything that happens in a broker's run as CSV (docs/broker.md), gzip-compressed when
/// the name ends in `.gz`. The sum of `amount_usd` is the run's cost, exactly.
///
/// Errors: InputError when the file cannot be written.
class BrokerLog final : public BrokerObserver {
 public:
  /// `markets`, those of the run, outlive the log.
  BrokerLog(const std::filesystem::path& file, const MarketSet& markets);

  void happened(const Event& event) override;

  /// The run is over: the file takes its name.
  void finish();

 private:
  const MarketSet* markets_;
  StoredStream stream_;
  std::string buffer_;
};

}  // namespace cospot
