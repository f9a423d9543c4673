#pragma once

#include <span>

#include "bindings/python_host/interpreter.hpp"
#include "core/model/host_table.hpp"
#include "core/model/request.hpp"
#include "core/policy/evictor.hpp"

namespace cospot::python_host {

// What policies are called with, as objects of the module cospot._core: the same types that they
// get in the Python package. Called with the lock.

/// The HostView object of the table that a policy was shown last. A run shows one table thousands
/// of times, so the object is kept; it keeps the columns, so no other table can lie where they are.
class ShownHosts {
 public:
  [[nodiscard]] boost::python::object show(const HostView& hosts);

 private:
  const void* columns_ = nullptr;
  SharedObject view_;
};

[[nodiscard]] boost::python::object request_object(const Request& request);
[[nodiscard]] boost::python::object spot_objects(std::span<const RunningSpot> spots);
[[nodiscard]] boost::python::object resources_object(const ResourceVector& amounts);

}  // namespace cospot::python_host
