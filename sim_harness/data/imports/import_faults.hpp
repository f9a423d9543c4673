#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cospot {

/// The fault of one row: what was found, and what was expected. Rows with the same expectation form
/// one kind.
struct RowFault {
  std::string found;     ///< such as "vcpus is 'x'"
  std::string expected;  ///< such as "a number more than 0"
};

/// Collects all faults of a file, to report them together.
class ImportFaults {
 public:
  void add(std::string_view place, std::string_view kind, const RowFault& fault);

  [[nodiscard]] std::uint64_t count() const { return count_; }

  /// The first faults of each kind, one per line, then the number of each kind.
  [[nodiscard]] std::string text(std::uint64_t rows) const;

  /// Only the numbers per kind: "3 vcpus, 1 end_s".
  [[nodiscard]] std::string kinds_text() const;

 private:
  static constexpr std::size_t kShown = 20;
  static constexpr std::uint64_t kShownOfKind = 5;

  std::uint64_t count_ = 0;
  std::vector<std::string> first_;
  std::map<std::string, std::uint64_t, std::less<>> kinds_;
};

}  // namespace cospot
