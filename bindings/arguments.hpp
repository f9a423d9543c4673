#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.hpp"
#include "core/model/host_table.hpp"
#include "core/model/request.hpp"
#include "core/model/resource_vector.hpp"
#include "core/model/sim_time.hpp"

namespace cospot::bindings {

/// An argument has a type that the call does not take, or a name that it does not know. Python
/// raises it as cospot.ArgumentError, which is an InputError and a TypeError.
class ArgumentError : public InputError {
 public:
  using InputError::InputError;
};

// Read arguments of Python calls. Each throws ArgumentError for another type, and ConfigError for
// another value, with the argument's name, what was found and what was expected.

/// A whole number: int, NumPy integer, whatever has __index__; no bool.
[[nodiscard]] std::int64_t read_integer(pybind11::handle value, std::string_view name,
                                        std::int64_t least, std::int64_t most);

/// A row of a table. Errors: also IndexError, when it is behind the last.
[[nodiscard]] std::uint32_t read_row(pybind11::handle value, std::string_view name,
                                     std::size_t rows, std::string_view noun = "hosts");

/// The argument `index` of `__getitem__`: a row, from the end when negative. Errors: ArgumentError,
/// IndexError.
[[nodiscard]] std::size_t read_position(pybind11::handle index, std::size_t rows,
                                        std::string_view noun);

/// A number of things, 0 to 10,000,000.
[[nodiscard]] std::size_t read_count(pybind11::handle value, std::string_view name,
                                     std::int64_t least = 0);

/// The argument `threads`: 1 to 4096, one a core where it is None.
[[nodiscard]] std::size_t read_threads(pybind11::handle threads);

/// Any number: for values that the core checks itself.
[[nodiscard]] double read_any_number(pybind11::handle value, std::string_view name);

/// A finite number in [least, most].
[[nodiscard]] double read_finite(pybind11::handle value, std::string_view name);
[[nodiscard]] double read_number(pybind11::handle value, std::string_view name, double least,
                                 double most);

/// Reads the index of an instance, `instance`.
[[nodiscard]] InstanceIndex read_instance(pybind11::handle value);

[[nodiscard]] ResourceAmount read_amount(pybind11::handle value, std::string_view name,
                                         ResourceAmount least);

/// A ResourceVector, or a tuple (vcpus, memory_mb) or (vcpus, memory_mb, disk_gb); amounts >= 0.
[[nodiscard]] ResourceVector read_resources(pybind11::handle value, std::string_view name);

/// The resources of a host: as read_resources, but vcpus and memory_mb at least 1.
[[nodiscard]] ResourceVector read_host(pybind11::handle value, std::string_view name);

/// Microseconds since the start of the window, at most 10,000 days from it.
[[nodiscard]] SimTime read_time(pybind11::handle value, std::string_view name);

/// As read_time, or NEVER_US.
[[nodiscard]] SimTime read_end(pybind11::handle value, std::string_view name);

/// The promise to a spot; None: it was promised nothing.
[[nodiscard]] SimTime read_promised_until(pybind11::handle value);

[[nodiscard]] std::string read_text(pybind11::handle value, std::string_view name);

/// ArgumentError: `value` is of a type other than `expected`.
[[noreturn]] void throw_type(pybind11::handle value, std::string_view name,
                             std::string_view expected);

/// Items of a list, tuple or other iterable, at most 10,000,000. Not the letters of a text or the
/// keys of a dict; nor a set, which has no order.
[[nodiscard]] std::vector<pybind11::object> read_items(pybind11::handle value,
                                                       std::string_view name,
                                                       std::string_view expected);

/// A list of names; errors show `example` as one.
[[nodiscard]] std::vector<std::string> read_names(pybind11::handle given, std::string_view name,
                                                  std::string_view example);

/// One text, path or whole number, or a list of them.
[[nodiscard]] std::vector<std::string> read_texts(pybind11::handle given, std::string_view name);

/// Numbers that the core checks itself.
[[nodiscard]] std::vector<double> read_numbers(pybind11::handle values, std::string_view name);

/// An object of a class of the module, or what pybind11 converts to T.
template <class T>
[[nodiscard]] T read_as(pybind11::handle value, std::string_view name, std::string_view expected) {
  try {
    return value.cast<T>();
  } catch (const pybind11::cast_error&) {
    throw_type(value, name, expected);
  }
}

/// str, bytes or os.PathLike.
[[nodiscard]] std::filesystem::path read_path(pybind11::handle value, std::string_view name);

/// Reads `price`, a dict of the prices of a vCPU-hour or a file of prices, as the values of
/// --price.
[[nodiscard]] std::vector<std::string> read_price_texts(const pybind11::object& price);

/// Rows of a table with `hosts` hosts.
[[nodiscard]] std::vector<HostIndex> read_candidates(pybind11::handle value, std::size_t hosts);

/// Bytes as a str, whatever they are: an error's text must never be an error.
[[nodiscard]] pybind11::str to_str(std::string_view text);

/// The name of a value's class.
[[nodiscard]] std::string type_name(pybind11::handle value);

/// The same with its article: "a str", "an int".
[[nodiscard]] std::string a_type_name(pybind11::handle value);

/// For an error: a workload can be saved where only a file will do. Empty for anything else.
[[nodiscard]] std::string saving_hint(pybind11::handle value);

/// An error about the keyword `name`, which `function` of the module does not take: with the
/// nearest of its arguments and `further` ones, or all of them.
[[noreturn]] void throw_unknown_argument(const char* function, const std::string& name,
                                         const std::vector<std::string>& further);

/// A text of the command line's as Python says it: the arguments for the options of the same
/// meaning, `window_days` for `--window-days`. Options of commands (`cospot compare --timeline`)
/// stay.
[[nodiscard]] std::string with_argument_names(std::string_view text);

}  // namespace cospot::bindings
