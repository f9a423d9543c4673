#include "guarantees/lifetime_model_file.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "guarantees/model_lines.hpp"

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
constexpr double kMostWeight = 1e6;  // keeps every sum finite
constexpr std::int64_t kMostHidden = 4'096;

class ModelParser {
 public:
  ModelParser(std::string_view text, std::string_view name) : lines_(text, name) {}

  LifetimeNetwork parse() {
    lines_.require_version(kMagic, kVersion, "lifetime model");
    network_.flavors = lines_.read_flavors();
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
    lines_.require_end();
    return std::move(network_);
  }

 private:
  void read_previous_ends() {
    const std::int64_t count = lines_.whole(lines_.keyed("previous-ends", 1)[0], 0,
                                            ModelLines::kMostLines, "the number of classes");
    for (std::int64_t i = 0; i < count; ++i) {
      lines_.next("the end of a class of previous lifetimes, in seconds");
      lines_.require_count(1, "1: the end of a class of previous lifetimes, in seconds");
      network_.previous_ends.push_back(lines_.end_after(lines_.words()[0], network_.previous_ends));
    }
  }

  /// Returns how many age inputs there are: they must be 0, 1, 2, ... in this order.
  std::size_t read_intervals() {
    const std::int64_t count = lines_.whole(lines_.keyed("intervals", 1)[0], 1,
                                            ModelLines::kMostLines, "the number of intervals");
    std::int64_t inputs = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      lines_.next("an interval");
      lines_.require_count(2, "2: the end of an interval, in seconds, and its age input");
      network_.interval_ends.push_back(lines_.end_after(lines_.words()[0], network_.interval_ends));
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
      numbers.push_back(lines_.number(word, -kMostWeight, kMostWeight, "a weight"));
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
        weights.push_back(lines_.number(word, -kMostWeight, kMostWeight, "a weight"));
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
  return parse_lifetime_model(read_model_text(path), path);
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
