#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <string>
#include <thread>

namespace cospot {

/// What a command takes unless it is told otherwise.
[[nodiscard]] inline std::size_t threads_of_machine() {
  return std::max(1U, std::thread::hardware_concurrency());
}

/// Adds `-j`, `--threads`: what it sets must live as long as the command.
inline CLI::Option* add_threads_option(CLI::App& command, std::size_t& threads,
                                       const std::string& help) {
  constexpr std::size_t kMost = 4096;
  return command.add_option("-j,--threads", threads, help)
      ->check(CLI::Range(std::size_t{1}, kMost));
}

}  // namespace cospot
