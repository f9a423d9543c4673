#pragma once

#include <string>
#include <vector>

namespace cospot {

/// Tells whether a module can be imported, or says what it needs. Errors: ConfigError as below.
void require_python_module(const std::string& module, const std::string& needs);

/// Runs `python3 -m MODULE ARGUMENTS...` with this program's standard streams and returns its exit
/// code; that of a program which a signal ended is 1.
///
/// The Python is the one that the environment variable COSPOT_PYTHON names, or the one this program
/// was built for. The package cospot is the one beside this program, as in a build folder, or one
/// that this Python has installed.
///
/// Args: needs: what the module needs beside Python, for the error.
/// Errors: ConfigError when there is no such Python, or no package.
int run_python_module(
    const std::string& module, const std::vector<std::string>& arguments,
    const std::string& needs = "NumPy and scikit-learn (Debian: python3-sklearn)");

}  // namespace cospot
