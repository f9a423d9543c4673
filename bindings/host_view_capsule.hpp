#pragma once

// How another C++ module of the same process (the Boost.Python host) gives its hosts to a policy
// written in Python. It makes a PyCapsule of this name around a pointer to its HostView, with the
// interpreter's lock:
//
//     PyObject* capsule = PyCapsule_New(const_cast<HostView*>(&hosts), kHostViewCapsule, nullptr);
//     PyObject* view = PyObject_CallMethod(core, "_hosts_from_capsule", "N", capsule);
//
// where `core` is the module cospot._core. The pointer must be valid during that call only. The
// result is a cospot.HostView, the same as pybind11's own policies are given; it may be kept, for
// it keeps the columns (HostTable::keep_columns), so HostView::table must be set, as it is by
// HostTable::view(). Requests and spots are made by calling cospot._core.Request(vcpus, memory_mb,
// disk_gb, spot, instance, time_us) and cospot._core.RunningSpot(instance, resources, placed_at_us,
// ends_at_us).

namespace cospot {

/// The number changes with the layout of HostView.
inline constexpr const char* kHostViewCapsule = "cospot.HostView/3";

}  // namespace cospot
