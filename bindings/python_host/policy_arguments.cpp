#include "bindings/python_host/policy_arguments.hpp"

#include "bindings/host_view_capsule.hpp"

namespace cospot::python_host {
namespace {

namespace bp = boost::python;

bp::object core_module() { return bp::import("cospot._core"); }

}  // namespace

bp::object ShownHosts::show(const HostView& hosts) {
  const void* columns = hosts.vcpus_free.data();
  if (view_ == nullptr || columns != columns_) {
    const bp::object capsule(
        bp::handle<>(PyCapsule_New(const_cast<HostView*>(&hosts), kHostViewCapsule, nullptr)));
    view_ = share(core_module().attr("_hosts_from_capsule")(capsule));
    columns_ = columns;
  }
  return *view_;
}

bp::object request_object(const Request& request) {
  return core_module().attr("Request")(request.vcpus, request.memory_mb, request.disk_gb,
                                       request.is_spot(), request.instance, request.time.count());
}

bp::object resources_object(const ResourceVector& amounts) {
  return core_module().attr("ResourceVector")(amounts.vcpus, amounts.memory_mb, amounts.disk_gb);
}

bp::object spot_objects(std::span<const RunningSpot> spots) {
  const bp::object make_spot = core_module().attr("RunningSpot");
  bp::list objects;
  for (const RunningSpot& spot : spots) {
    objects.append(make_spot(spot.instance, resources_object(spot.resources),
                             spot.placed_at.count(), spot.ends_at.count()));
  }
  return objects;
}

}  // namespace cospot::python_host
