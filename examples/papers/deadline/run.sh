#!/usr/bin/env bash
# Sets what "Can't Be Late" published beside SkyPilot's public traces: README.md beside this file says
# what it writes.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: run.sh [options]
  -o FOLDER      where to write (results/deadline); a run that was stopped is continued there
  -j N           threads (as many as processors)
COSPOT_DATA holds skypilot/, from `cospot workload fetch spot-traces --to $COSPOT_DATA/skypilot`.
COSPOT names the program (build/release/cospot), COSPOT_PYTHON the Python (/usr/bin/python3).
TEXT
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=examples/papers/setup.sh
. "$here/../setup.sh"
output=results/deadline
threads=$(nproc)
while (($#)); do
  case $1 in
    -h | --help) usage; exit 0 ;;
    -o | -j)
      (($# > 1)) || fail "$1 needs a value; see run.sh --help"
      case $1 in
        -o) output=$2 ;;
        -j) threads=$2 ;;
      esac
      shift 2 ;;
    *) fail "unknown option $1; see run.sh --help" ;;
  esac
done

require_program
[[ -d ${COSPOT_DATA:-}/skypilot ]] || fail "COSPOT_DATA holds no skypilot/; see run.sh --help"
mkdir -p "$output"
"$cospot" compare "$root/examples/deadline/skypilot_judge.yaml" --resume -j "$threads" \
  --db "$output/results.db" --csv "$output/results.csv"
"$cospot" summary "$output/results.db" >"$output/summary.txt"
"$python" -m deadline.page "$output/results.db" -o "$output"
