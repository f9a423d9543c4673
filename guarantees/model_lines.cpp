#include "guarantees/model_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "core/errors.hpp"
#include "core/parse_number.hpp"

namespace cospot {

void ModelLines::fail(const std::string& what) const {
  throw ConfigError(fmt::format("{}:{}: {}", name_, std::max<std::size_t>(line_, 1), what));
}

void ModelLines::next(std::string_view expected) {
  do {
    if (text_.empty()) {
      fail(fmt::format("the file ends here, expected {}: it is not complete", expected));
    }
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    const std::string_view line = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    ++line_;
    split(line);
  } while (words_.empty());
}

bool ModelLines::at_end() {
  while (!text_.empty()) {
    next("");
    if (!words_.empty()) return false;
  }
  return true;
}

void ModelLines::require_version(std::string_view magic, std::string_view version,
                                 std::string_view is_no) {
  next(fmt::format("'{} {}'", magic, version));
  if (words_.front() != magic || words_.size() != 2) {
    fail(fmt::format("found '{}', expected '{} {}': this is no {}", excerpt(words_.front()), magic,
                     version, is_no));
  }
  if (words_[1] != version) {
    fail(fmt::format("version '{}', expected version {}", excerpt(words_[1]), version));
  }
}

void ModelLines::require_end() {
  (void)keyed("end", 0);
  if (!at_end()) fail("more lines after 'end'");
}

std::span<const std::string_view> ModelLines::keyed(std::string_view key, std::size_t values) {
  next(fmt::format("'{}'", key));
  if (words_.front() != key) {
    fail(fmt::format("found '{}', expected '{}'", excerpt(words_.front()), key));
  }
  require_count(values + 1, fmt::format("{} after '{}'", values, key), 1);
  return std::span(words_).subspan(1);
}

void ModelLines::require_count(std::size_t count, const std::string& expected,
                               std::size_t leading) const {
  if (words_.size() == count) return;
  fail(fmt::format("found {} values, expected {}", words_.size() - leading, expected));
}

double ModelLines::number(std::string_view word, double least, double most,
                          std::string_view what) const {
  const std::optional<double> value = parse_number(word);
  if (value && *value >= least && *value <= most) return *value;
  fail(
      fmt::format("{} is '{}', expected a number from {} to {}", what, excerpt(word), least, most));
}

std::int64_t ModelLines::whole(std::string_view word, std::int64_t least, std::int64_t most,
                               std::string_view what) const {
  const auto value = parse_integer<std::int64_t>(word);
  if (value && *value >= least && *value <= most) return *value;
  fail(fmt::format("{} is '{}', expected a whole number from {} to {}", what, excerpt(word), least,
                   most));
}

SimTime ModelLines::end_after(std::string_view word, const std::vector<SimTime>& before) const {
  constexpr double kMicroseconds = 1e6;
  constexpr double kMostSeconds = 1e9;  // 31 years; in microseconds far inside 63 bits
  const double seconds = number(word, -kMostSeconds, kMostSeconds, "the end");
  const SimTime end(std::llround(seconds * kMicroseconds));
  const SimTime least = before.empty() ? SimTime(0) : before.back();
  if (end <= least) {
    fail(fmt::format("the end {} s is not after the one before, {} s", excerpt(word),
                     static_cast<double>(least.count()) / kMicroseconds));
  }
  return end;
}

std::vector<ResourceVector> ModelLines::read_flavors() {
  std::vector<ResourceVector> flavors;
  const std::int64_t count = whole(keyed("flavors", 1)[0], 0, kMostLines, "the number of flavors");
  for (std::int64_t i = 0; i < count; ++i) {
    next("a flavor");
    require_count(3, "3: vcpus, memory_mb, disk_gb of a flavor");
    const auto amount = [&](std::size_t word, std::string_view what) {
      return static_cast<ResourceAmount>(whole(words_[word], 0, kMaxResourceAmount, what));
    };
    const ResourceVector flavor{amount(0, "vcpus"), amount(1, "memory_mb"), amount(2, "disk_gb")};
    if (std::ranges::find(flavors, flavor) != flavors.end()) fail("this flavor comes twice");
    flavors.push_back(flavor);
  }
  return flavors;
}

std::string ModelLines::excerpt(std::string_view word) {
  constexpr std::size_t kMostShown = 40;
  std::string shown;
  for (const char c : word.substr(0, kMostShown)) shown += c >= ' ' && c <= '~' ? c : '?';
  return word.size() > kMostShown ? shown + "..." : shown;
}

void ModelLines::split(std::string_view line) {
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

std::string read_model_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file.is_open() || file.bad() || std::filesystem::is_directory(path)) {
    throw ConfigError(fmt::format("{}: cannot be read; expected a lifetime model", path));
  }
  std::string bytes = std::move(text).str();
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.erase(0, 3);  // the mark that some editors add
  return bytes;
}

}  // namespace cospot
