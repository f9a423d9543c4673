#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace cospot {

/// The user's input cannot be used. The text is one sentence that says where, what, what was
/// expected and, for names, the valid ones. The command line prints it and exits with code 2. What
/// it quotes of the input may be anything, so every error's text is made printable here
/// (core/printable_text.hpp).
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::string_view text);

  /// An error of several lines, each of which the caller has made printable.
  struct Lines {
    std::string text;
  };
  explicit InputError(const Lines& lines) : std::runtime_error(lines.text) {}
};

/// A configuration (sweep or scenario file, option, policy name) cannot be used.
class ConfigError : public InputError {
 public:
  using InputError::InputError;
};

/// A workload file cannot be used; the text starts with `file:line:`, or with `file:` when it
/// cannot be read or written at all.
class WorkloadError : public InputError {
 public:
  using InputError::InputError;
};

/// A results database cannot be opened, belongs to another sweep or cannot be written.
class DatabaseError : public InputError {
 public:
  using InputError::InputError;
};

/// A policy broke its contract (a weight that is not a number, an insufficient eviction plan).
class PolicyError : public std::runtime_error {
 public:
  explicit PolicyError(std::string_view text);
};

/// The user ended what was being done (Ctrl-C); nothing is wrong.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

}  // namespace cospot
