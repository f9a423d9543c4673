#!/usr/bin/env bash
# Makes figures 3 and 6 to 10 of "Transient guarantees" on the data at hand: README.md beside this
# file says what it writes.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  cat <<'TEXT'
usage: run.sh [-o FOLDER] [--trace NAME]...
  -o FOLDER     where to write (results/paper-classes)
  --trace NAME  only this trace: 'SURF Lisa', 'wagap', 'NASA iPSC', 'LHC Grid', 'Azure VMs'
COSPOT_DATA is the folder of the traces; what is not there is left out. COSPOT_PYTHON names the
Python (/usr/bin/python3).
TEXT
  exit 0
fi
output=results/paper-classes
if [[ ${1:-} == -o ]]; then
  output=${2:?run.sh: -o takes a folder}
  shift 2
fi
python=${COSPOT_PYTHON:-/usr/bin/python3}
if [[ -d $root/build/release/python/cospot ]]; then
  export PYTHONPATH=$root/build/release/python${PYTHONPATH:+:$PYTHONPATH}
fi
exec "$python" "$here/figures.py" --data "${COSPOT_DATA:-.}" -o "$output" "$@"
