#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"

namespace cospot {

/// Takes the text of a lifetime model apart line by line, and says where it is wrong. Lines that
/// are empty or begin with '#' do not count.
class ModelLines {
 public:
  /// No list in a model is longer.
  static constexpr std::int64_t kMostLines = 100'000;

  /// `name` is what errors call the text; both outlive this.
  ModelLines(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  /// Throws ConfigError `name:line: what`.
  [[noreturn]] void fail(const std::string& what) const;

  /// Goes to the next line; `expected` is for the message when there is none.
  void next(std::string_view expected);

  [[nodiscard]] bool at_end();

  /// The words of the present line.
  [[nodiscard]] std::span<const std::string_view> words() const { return words_; }

  /// The first line must be `magic` and `version`; `is_no` is what the text is not, otherwise.
  void require_version(std::string_view magic, std::string_view version, std::string_view is_no);

  /// The last line must be 'end'.
  void require_end();

  /// The next line must have the word `key` and `values` further words, which it returns.
  std::span<const std::string_view> keyed(std::string_view key, std::size_t values);

  void require_count(std::size_t count, const std::string& expected, std::size_t leading = 0) const;

  [[nodiscard]] double number(std::string_view word, double least, double most,
                              std::string_view what) const;
  [[nodiscard]] std::int64_t whole(std::string_view word, std::int64_t least, std::int64_t most,
                                   std::string_view what) const;

  /// An age in seconds that is greater than the last one `before`.
  [[nodiscard]] SimTime end_after(std::string_view word, const std::vector<SimTime>& before) const;

  /// The block `flavors N`: N different sizes.
  [[nodiscard]] std::vector<ResourceVector> read_flavors();

  /// The part of a word that an error shows.
  [[nodiscard]] static std::string excerpt(std::string_view word);

 private:
  void split(std::string_view line);

  std::string_view text_;
  std::string_view name_;
  std::size_t line_ = 0;
  std::vector<std::string_view> words_;
};

/// The text of a model file of either kind. Errors: ConfigError, when it cannot be read.
[[nodiscard]] std::string read_model_text(const std::string& path);

}  // namespace cospot
