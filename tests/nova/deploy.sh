#!/usr/bin/env bash
# Brings a whole OpenStack compute cloud up on this machine, for tests, or takes it down.
set -euo pipefail
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

usage() {
  cat <<'TEXT'
Usage: tests/nova/deploy.sh up [--libvirt]|down|env|logs

  up     bring it up, anew; prints how long each step took. With --libvirt it has one compute, real1,
         which runs its instances in QEMU without acceleration, by a libvirt of its own: as root
  down   kill all its processes and remove its data; the logs stay
  env    print the variables that an OpenStack client needs: eval "$(tests/nova/deploy.sh env)"
  logs   print the end of every log

Everything is below build/nova/NAME and listens on 127.0.0.1; the system's services are not touched.
Environment:
  COSPOT_NOVA_NAME        NAME; `default` unless set
  COSPOT_NOVA_PORT_BASE   the first of 12 ports; 21600 unless set
  COSPOT_NOVA_NOTIFICATIONS  set: Nova sends notifications, as measure_evictions.py needs
  COSPOT_NOVA_LIBVIRT     set: the same as --libvirt, for all that uses the deployment
  COSPOT_NOVA_RELEASE     a release of Nova from the Python registry, with its Placement, as pinned
                          in functional/requirements-RELEASE.txt; Debian's Nova unless set
  COSPOT_BUILD            a build with the Python package; build/release unless set
TEXT
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
  '') usage >&2; exit 2 ;;
esac
if [ "${2:-}" = --libvirt ]; then export COSPOT_NOVA_LIBVIRT=1; fi
build=${COSPOT_BUILD:-$folder/../../build/release}
if [ "$1" = up ] && [ -n "${COSPOT_NOVA_RELEASE:-}" ]; then
  "$folder/functional/make-venv.sh" "$COSPOT_NOVA_RELEASE"
fi
export PYTHONPATH=$folder:$folder/..:$build/python
exec /usr/bin/python3 -m deployment "$@"
