#!/usr/bin/env bash
# Makes figures 3 and 6 to 10 of "Transient guarantees" on the data at hand: README.md beside this
# file says what it writes.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=examples/papers/setup.sh
. "$here/../setup.sh"
if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  cat <<'TEXT'
usage: run.sh [-o FOLDER] [--trace NAME]...
  -o FOLDER     where to write (results/transient_guarantees)
  --trace NAME  only this trace: 'SURF Lisa', 'wagap', 'NASA iPSC', 'LHC Grid', 'Azure VMs'
COSPOT_DATA is the folder of the traces; what is not there is left out. COSPOT names the
program (build/release/cospot), COSPOT_PYTHON the Python (/usr/bin/python3).
TEXT
  exit 0
fi
output=results/transient_guarantees
if [[ ${1:-} == -o ]]; then
  output=${2:?run.sh: -o takes a folder}
  shift 2
fi
require_program
exec "$python" -m transient_guarantees.page --data "${COSPOT_DATA:-.}" -o "$output" "$@"
