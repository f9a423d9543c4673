#include "core/handshake/handshake.hpp"

namespace cospot {

bool commit(Datacenter& datacenter, const Choice& choice, const Request& request) {
  if (!is_current(datacenter.hosts(), choice)) return false;
  datacenter.add_vm_in_place_of(choice.victims, choice.host.host, request);
  return true;
}

}  // namespace cospot
