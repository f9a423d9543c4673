# shellcheck shell=bash
# Sourced by the run.sh of every paper. Sets `root`, and PYTHONPATH so that Python finds the papers'
# packages and the cospot that was built.

# fail MESSAGE: one line, and exit code 2.
fail() {
  echo "cospot: $1" >&2
  exit 2
}

papers=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$papers/../.." && pwd)
cospot=${COSPOT:-$root/build/release/cospot}
python=${COSPOT_PYTHON:-/usr/bin/python3}

# require_program: makes `cospot` absolute, and Python import the package beside it.
require_program() {
  [[ ! -e $cospot ]] || cospot=$(realpath -s "$cospot")
  [[ -x $cospot ]] || fail "$cospot: no such program; build it, or name it with COSPOT"
  local staged
  staged=$(dirname "$(readlink -f "$cospot")")/python
  export PYTHONPATH=$papers:$staged${PYTHONPATH:+:$PYTHONPATH}
  "$python" -c "import cospot, matplotlib, pandas" 2>/dev/null ||
    fail "$python cannot import cospot, pandas and matplotlib; name another with COSPOT_PYTHON"
}

# require_document FILE: before the work, what cannot be written to should be found out.
require_document() {
  [[ -n $1 ]] || return 0
  "$python" -m reproduction.document "$1" || exit 2
  [[ -w $1 ]] || fail "$1: cannot be written"
}
