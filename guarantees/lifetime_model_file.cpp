#include "guarantees/lifetime_model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include "core/errors.hpp"
#include "core/parse_number.hpp"

// models/azure2020.txt, which the build puts into the program (cospot_embed).
extern "C" {
extern const char kCospotLifetimeModelBegin[];
extern const char kCospotLifetimeModelEnd[];
}

namespace cospot {
namespace {

constexpr std::string_view kMagic = "cospot-lifetime-model";
constexpr std::string_view kVersion = "1";
constexpr std::size_t kHours = 24;
constexpr std::size_t kWeekdays = 7;
constexpr double kMostWeight = 1e6;   // keeps every sum finite
constexpr double kMostSeconds = 1e9;  // 31 years; in microseconds far inside 63 bits
constexpr std::int64_t kMostLines = 100'000;
constexpr std::int64_t kMostHidden = 4'096;

/// Takes the file apart line by line, and says where it is wrong. Lines that are empty or begin
/// with '#' do not count.
class ModelLines {
 public:
  ModelLines(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw ConfigError(fmt::format("{}:{}: {}", name_, std::max<std::size_t>(line_, 1), what));
  }

  /// Goes to the next line; `expected` is for the message when there is none.
  void next(std::string_view expected) {
    do {
      if (text_.empty()) {
        fail(fmt::format("the file ends here, expected {}: it is not complete", expected));
      }
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      std::string_view line = text_.substr(0, end);
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++line_;
      split(line);
    } while (words_.empty());
  }

  [[nodiscard]] bool at_end() {
    while (!text_.empty()) {
      next("");
      if (!words_.empty()) return false;
    }
    return true;
  }

  [[nodiscard]] std::span<const std::string_view> words() const { return words_; }

  /// The next line must have the word `key` and `values` further words.
  std::span<const std::string_view> keyed(std::string_view key, std::size_t values) {
    next(fmt::format("'{}'", key));
    if (words_.front() != key) {
      fail(fmt::format("found '{}', expected '{}'", excerpt(words_.front()), key));
    }
    require_count(values + 1, fmt::format("{} after '{}'", values, key), 1);
    return std::span(words_).subspan(1);
  }

  void require_count(std::size_t count, const std::string& expected, std::size_t leading = 0) {
    if (words_.size() == count) return;
    fail(fmt::format("found {} values, expected {}", words_.size() - leading, expected));
  }

  [[nodiscard]] double number(std::string_view word, double most, std::string_view what) const {
    const std::optional<double> value = parse_number(word);
    if (value && std::abs(*value) <= most) return *value;
    fail(fmt::format("{} is '{}', expected a number from {} to {}", what, excerpt(word), -most,
                     most));
  }

  [[nodiscard]] std::int64_t whole(std::string_view word, std::int64_t least, std::int64_t most,
                                   std::string_view what) const {
    const auto value = parse_integer<std::int64_t>(word);
    if (value && *value >= least && *value <= most) return *value;
    fail(fmt::format("{} is '{}', expected a whole number from {} to {}", what, excerpt(word),
                     least, most));
  }

  [[nodiscard]] static std::string excerpt(std::string_view word) {
    constexpr std::size_t kMostShown = 40;
    std::string shown;
    for (const char c : word.substr(0, kMostShown)) shown += c >= ' ' && c <= '~' ? c : '?';
    return word.size() > kMostShown ? shown + "..." : shown;
  }

 private:
  void split(std::string_view line) {
    words_.clear();
    constexpr std::string_view kSpaces = " \t\r";
    for (;;) {
      const std::size_t begin = line.find_first_not_of(kSpaces);
      if (begin == std::string_view::npos) return;
      line.remove_prefix(begin);
      if (words_.empty() && line.front() == '#') return;
      const std::size_t end = std::min(line.find_first_of(kSpaces), line.size());
      words_.push_back(line.substr(0, end));
      line.remove_prefix(end);
    }
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t line_ = 0;
  std::vector<std::string_view> words_;
};

class ModelParser {
 public:
  ModelParser(std::string_view text, std::string_view name) : lines_(text, name) {}

  LifetimeNetwork parse() {
    read_version();
    read_flavors();
    read_previous_ends();
    const std::size_t age_inputs = read_intervals();
    const std::size_t hidden = static_cast<std::size_t>(
        lines_.whole(lines_.keyed("hidden", 1)[0], 1, kMostHidden, "the number of hidden units"));
    network_.hidden_bias = read_numbers("bias", hidden);
    network_.output_weights = read_numbers("output", hidden);
    network_.output_bias = read_numbers("output-bias", 1).front();
    network_.flavor_rows = read_rows("flavor", network_.flavors.size() + 1, hidden);
    network_.hour_rows = read_rows("hour", kHours, hidden);
    network_.weekday_rows = read_rows("weekday", kWeekdays, hidden);
    network_.previous_rows = read_rows("previous", network_.previous_ends.size() + 2, hidden);
    network_.age_rows = read_rows("age", age_inputs, hidden);
    (void)lines_.keyed("end", 0);
    if (!lines_.at_end()) lines_.fail("more lines after 'end'");
    return std::move(network_);
  }

 private:
  void read_version() {
    lines_.next(fmt::format("'{} {}'", kMagic, kVersion));
    if (lines_.words().front() != kMagic || lines_.words().size() != 2) {
      lines_.fail(fmt::format("found '{}', expected '{} {}': this is no lifetime model",
                              ModelLines::excerpt(lines_.words().front()), kMagic, kVersion));
    }
    if (lines_.words()[1] != kVersion) {
      lines_.fail(fmt::format("version '{}', expected version {}",
                              ModelLines::excerpt(lines_.words()[1]), kVersion));
    }
  }

  void read_flavors() {
    const std::int64_t count =
        lines_.whole(lines_.keyed("flavors", 1)[0], 0, kMostLines, "the number of flavors");
    for (std::int64_t i = 0; i < count; ++i) {
      lines_.next("a flavor");
      lines_.require_count(3, "3: vcpus, memory_mb, disk_gb of a flavor");
      const auto amount = [&](std::size_t word, std::string_view what) {
        return static_cast<ResourceAmount>(
            lines_.whole(lines_.words()[word], 0, kMaxResourceAmount, what));
      };
      const ResourceVector flavor{amount(0, "vcpus"), amount(1, "memory_mb"), amount(2, "disk_gb")};
      if (std::ranges::find(network_.flavors, flavor) != network_.flavors.end()) {
        lines_.fail("this flavor comes twice");
      }
      network_.flavors.push_back(flavor);
    }
  }

  /// Reads an age in seconds that must be greater than the one before.
  SimTime read_end(std::string_view word, const std::vector<SimTime>& before) {
    constexpr double kMicroseconds = 1e6;
    const double seconds = lines_.number(word, kMostSeconds, "the end");
    const SimTime end(std::llround(seconds * kMicroseconds));
    const SimTime least = before.empty() ? SimTime(0) : before.back();
    if (end <= least) {
      lines_.fail(fmt::format("the end {} s is not after the one before, {} s",
                              ModelLines::excerpt(word),
                              static_cast<double>(least.count()) / kMicroseconds));
    }
    return end;
  }

  void read_previous_ends() {
    const std::int64_t count =
        lines_.whole(lines_.keyed("previous-ends", 1)[0], 0, kMostLines, "the number of classes");
    for (std::int64_t i = 0; i < count; ++i) {
      lines_.next("the end of a class of previous lifetimes, in seconds");
      lines_.require_count(1, "1: the end of a class of previous lifetimes, in seconds");
      network_.previous_ends.push_back(read_end(lines_.words()[0], network_.previous_ends));
    }
  }

  /// Returns how many age inputs there are: they must be 0, 1, 2, ... in this order.
  std::size_t read_intervals() {
    const std::int64_t count =
        lines_.whole(lines_.keyed("intervals", 1)[0], 1, kMostLines, "the number of intervals");
    std::int64_t inputs = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      lines_.next("an interval");
      lines_.require_count(2, "2: the end of an interval, in seconds, and its age input");
      network_.interval_ends.push_back(read_end(lines_.words()[0], network_.interval_ends));
      const std::int64_t input = lines_.whole(
          lines_.words()[1], std::max<std::int64_t>(inputs - 1, 0), inputs, "the age input");
      inputs = std::max(inputs, input + 1);
      network_.interval_inputs.push_back(static_cast<std::uint32_t>(input));
    }
    return static_cast<std::size_t>(inputs);
  }

  std::vector<double> read_numbers(std::string_view key, std::size_t count) {
    std::vector<double> numbers;
    for (const std::string_view word : lines_.keyed(key, count)) {
      numbers.push_back(lines_.number(word, kMostWeight, "a weight"));
    }
    return numbers;
  }

  std::vector<double> read_rows(std::string_view kind, std::size_t rows, std::size_t hidden) {
    const auto words = lines_.keyed("inputs", 2);
    if (words[0] != kind) {
      lines_.fail(
          fmt::format("inputs of '{}', expected '{}'", ModelLines::excerpt(words[0]), kind));
    }
    const auto expected = static_cast<std::int64_t>(rows);
    (void)lines_.whole(words[1], expected, expected, fmt::format("the number of {} inputs", kind));
    std::vector<double> weights;
    weights.reserve(rows * hidden);
    for (std::size_t row = 0; row < rows; ++row) {
      lines_.next(fmt::format("the weights of a {} input", kind));
      lines_.require_count(hidden, fmt::format("{}: one for each hidden unit", hidden));
      for (const std::string_view word : lines_.words()) {
        weights.push_back(lines_.number(word, kMostWeight, "a weight"));
      }
    }
    return weights;
  }

  ModelLines lines_;
  LifetimeNetwork network_;
};

}  // namespace

std::shared_ptr<const LifetimeModel> parse_lifetime_model(std::string_view text,
                                                          std::string_view name) {
  return std::make_shared<const LifetimeModel>(ModelParser(text, name).parse());
}

std::shared_ptr<const LifetimeModel> read_lifetime_model(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file.is_open() || file.bad() || std::filesystem::is_directory(path)) {
    throw ConfigError(fmt::format("{}: cannot be read; expected a lifetime model", path));
  }
  return parse_lifetime_model(text.view(), path);
}

std::string_view built_in_lifetime_model_text() {
  return {kCospotLifetimeModelBegin, kCospotLifetimeModelEnd};
}

std::shared_ptr<const LifetimeModel> built_in_lifetime_model() {
  static const std::shared_ptr<const LifetimeModel> model =
      parse_lifetime_model(built_in_lifetime_model_text(), "built-in lifetime model");
  return model;
}

}  // namespace cospot
