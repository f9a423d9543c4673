#!/usr/bin/env bash
# What the broker's extensions are worth: README.md beside this file says what it writes.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: run.sh [options]
  -o FOLDER    where to write (results/broker-practice); a run that was stopped is continued there
  -j N         threads (as many as processors)
  --calm       markets with few rises (the study's default) only; else also volatile ones
  --synthetic  synthetic jobs instead of the LCG log of $COSPOT_DATA
  --set KEY=VALUE  another value of a key of grid.yaml, as for cospot compare; may be repeated
COSPOT names the program (build/release/cospot), COSPOT_PYTHON the Python (/usr/bin/python3).
TEXT
}

fail() {
  echo "cospot: $1" >&2
  exit 2
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
output=results/broker-practice
threads=$(nproc)
jobs=()
more=()
volatile=yes
while (($#)); do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --calm) volatile=no; shift; continue ;;
    --synthetic) jobs=(--set 'jobs={synthetic: grid, count: 20000, days: 7, label: synthetic}'); shift; continue ;;
    -o | -j | --set)
      (($# > 1)) || fail "$1 needs a value; see run.sh --help"
      case $1 in
        -o) output=$2 ;;
        -j) threads=$2 ;;
        --set) more+=(--set "$2") ;;
      esac
      shift 2 ;;
    *) fail "unknown option $1; see run.sh --help" ;;
  esac
done
cospot=${COSPOT:-$root/build/release/cospot}
python=${COSPOT_PYTHON:-/usr/bin/python3}
[[ -x $cospot ]] || fail "$cospot is not there; build it, or set COSPOT"
((${#jobs[@]})) || [[ -n ${COSPOT_DATA:-} ]] ||
  fail "COSPOT_DATA is not set; it holds the LCG log (or use --synthetic)"
mkdir -p "$output"

markets=("market=[{synthetic: us_east_2011, seed: 1, label: calm}]")
if [[ $volatile == yes ]]; then
  markets=("market=[{synthetic: us_east_2011, seed: 1, label: calm}, {synthetic: us_east_2011, seed: 1, label: volatile, rises_per_day: 3, band: 0.1, change_minutes: 60}]")
fi
for fallback in false true; do
  "$cospot" compare "$here/grid.yaml" --resume -j "$threads" --db "$output/fallback-$fallback.db" \
    --csv "$output/fallback-$fallback.csv" --set "on_demand_fallback=$fallback" \
    --set "${markets[0]}" "${jobs[@]}" "${more[@]}" >"$output/fallback-$fallback.txt"
done
"$python" "$here/effects.py" "$output/fallback-false.csv" "$output/fallback-true.csv" \
  -o "$output/effects.md"
