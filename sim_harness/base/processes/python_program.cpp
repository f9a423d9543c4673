#include "sim_harness/base/processes/python_program.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include "core/errors.hpp"
#include "sim_harness/base/interrupt/stop_token.hpp"

namespace cospot {
namespace {

namespace fs = std::filesystem;

std::string python_name() {
  const char* name = std::getenv("COSPOT_PYTHON");
  return name != nullptr && *name != '\0' ? name : COSPOT_PYTHON;
}

/// The folder that holds the package, or nothing when Python has to know.
fs::path package_folder() {
  std::error_code error;
  const fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  const std::array<fs::path, 2> places{folder / "python",
                                       folder.parent_path() / "lib" / "cospot" / "python"};
  for (const fs::path& place : places) {
    if (fs::exists(place / "cospot" / "__init__.py", error)) return place;
  }
  return {};
}

std::vector<std::string> child_environment(const fs::path& package) {
  constexpr std::string_view kPath = "PYTHONPATH=";
  std::vector<std::string> variables;
  std::string path = package.string();
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (!text.starts_with(kPath)) {
      variables.emplace_back(text);
    } else if (text.size() > kPath.size()) {
      path += (path.empty() ? "" : ":") + std::string(text.substr(kPath.size()));
    }
  }
  if (!path.empty()) variables.push_back(std::string(kPath) + path);
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Waits a while for a program to end; nothing: it has not yet.
std::optional<int> poll_exit(pid_t child) {
  constexpr std::chrono::milliseconds kPollEvery{10};
  int status = 0;
  const pid_t ended = waitpid(child, &status, WNOHANG);
  if (ended < 0 && errno != EINTR) {
    throw std::system_error(errno, std::generic_category(), "waitpid");
  }
  if (ended == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  std::this_thread::sleep_for(kPollEvery);
  return std::nullopt;
}

/// The exit code of a program. When the thread's StopToken asks, the program is asked to end too;
/// one that is too busy to hear it is killed. Then throws Interrupted.
int wait_for(pid_t child) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kKillAfter{600};
  const StopToken stop = current_stop_token();
  std::optional<Clock::time_point> kill_at;
  for (;;) {
    if (const std::optional<int> code = poll_exit(child)) {
      stop.check();
      return *code;
    }
    if (!kill_at && stop.is_asked()) {
      ::kill(child, SIGTERM);
      kill_at = Clock::now() + kKillAfter;
    } else if (kill_at && Clock::now() >= *kill_at) {
      ::kill(child, SIGKILL);
    }
  }
}

enum class Output : bool { kShown, kDropped };

int run(std::vector<std::string> command, const fs::path& package, Output output,
        const std::string& needs) {
  std::vector<std::string> variables = child_environment(package);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (output == Output::kDropped) {
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  pid_t child = 0;
  const int error = posix_spawnp(&child, command.front().c_str(), &actions, nullptr,
                                 pointers_to(command).data(), pointers_to(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw ConfigError(
        fmt::format("'{}' cannot be run: {}; this command needs Python 3 with {}; COSPOT_PYTHON "
                    "may name another",
                    command.front(), std::strerror(error), needs));
  }
  return wait_for(child);
}

/// The folder to import `module` from: that of the package next to this program, or nothing where
/// the Python imports its own. The one next to this program may be half of one, without its
/// compiled module, or for another Python.
fs::path folder_of(const std::string& module, const std::string& needs) {
  const std::string python = python_name();
  const fs::path folder = package_folder();
  const std::vector<std::string> import{python, "-c", "import cospot._core, " + module};
  if (run(import, folder, Output::kDropped, needs) == 0) return folder;
  if (!folder.empty() && run(import, {}, Output::kDropped, needs) == 0) return {};
  throw ConfigError(
      fmt::format("'{}' cannot import {}; this command needs the Python package cospot and {}; "
                  "COSPOT_PYTHON may name another Python",
                  python, module, needs));
}

}  // namespace

void require_python_module(const std::string& module, const std::string& needs) {
  (void)folder_of(module, needs);
}

int run_python_module(const std::string& module, const std::vector<std::string>& arguments,
                      const std::string& needs) {
  const fs::path folder = folder_of(module, needs);
  std::vector<std::string> command{python_name(), "-m", module};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run(std::move(command), folder, Output::kShown, needs);
}

}  // namespace cospot
