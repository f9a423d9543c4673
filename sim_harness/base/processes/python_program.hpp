#pragma once

#include <string>
#include <vector>

namespace cospot {

/// Checks that a module can be imported, or reports what it needs. Errors: ConfigError as below.
void require_python_module(const std::string& module, const std::string& needs);

/// Runs `python3 -m MODULE ARGUMENTS...` with this program's standard streams and returns its exit
/// code, or 1 if a signal ended it.
///
/// Uses the Python named by the environment variable COSPOT_PYTHON, or else the one that this
/// program was built for. Uses the package cospot next to this program, as in a build folder, if
/// that Python can import it, or else the one installed in that Python.
///
/// Args: needs: what the module needs besides Python, for the error.
/// Errors: ConfigError if that Python or the package does not exist.
int run_python_module(
    const std::string& module, const std::vector<std::string>& arguments,
    const std::string& needs = "NumPy and scikit-learn (Debian: python3-sklearn)");

}  // namespace cospot
