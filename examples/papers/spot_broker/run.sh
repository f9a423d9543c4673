#!/usr/bin/env bash
# Makes the evaluation of Voorsluys and Buyya's broker again: README.md beside this file says what it
# writes.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: run.sh [options]
  -o FOLDER      where to write (results/spot_broker); a run that was stopped is continued there
  -j N           threads (as many as processors)
  --seeds N      seeds of the 31 (31)
  --cheapest-seeds N  seeds of the other reading: every job on the cheapest type (5)
  --jobs N       jobs of the 100,000 (100000)
  --document FILE  also put the tables between the markers of this Markdown file
  --synthetic    synthetic jobs instead of the LCG log of $COSPOT_DATA, and synthetic prices only
COSPOT names the program (build/release/cospot), COSPOT_PYTHON the Python (/usr/bin/python3).
TEXT
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=examples/papers/setup.sh
. "$here/../setup.sh"
output=results/spot_broker
threads=$(nproc)
seeds=31
cheapest_seeds=5
jobs=100000
synthetic=no
document=
while (($#)); do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --synthetic) synthetic=yes; shift; continue ;;
    -o | -j | --seeds | --cheapest-seeds | --jobs | --document)
      (($# > 1)) || fail "$1 needs a value; see run.sh --help"
      case $1 in
        -o) output=$2 ;;
        -j) threads=$2 ;;
        --seeds) seeds=$2 ;;
        --cheapest-seeds) cheapest_seeds=$2 ;;
        --jobs) jobs=$2 ;;
        --document) document=$2 ;;
      esac
      shift 2 ;;
    *) fail "unknown option $1; see run.sh --help" ;;
  esac
done
for number in "$seeds" "$cheapest_seeds"; do
  if ! [[ $number =~ ^[0-9]+$ ]] || ((number < 2 || number > 31)); then
    fail "--seeds $number; expected 2 to 31"
  fi
done
if ! [[ $jobs =~ ^[0-9]+$ ]] || ((jobs < 1)); then fail "--jobs $jobs; expected a number from 1"; fi

require_program
require_document "$document"
mkdir -p "$output"

overrides=()
prices=$(realpath "$output")/prices
mkdir -p "$prices"
"$python" -m spot_broker.fitted -o "$prices/fitted.json"
markets="{label: us_east_2011, synthetic: us_east_2011, seed: 1}"
markets+=", {label: fitted, markets: [{prices: '$prices/fitted.json'}]}"
ec2=()
if [[ $synthetic == yes ]]; then
  overrides+=(--set "jobs={synthetic: grid, count: $jobs, days: 7, label: synthetic}")
else
  [[ -n ${COSPOT_DATA:-} ]] || fail "COSPOT_DATA is not set; it holds the LCG log (or use --synthetic)"
  overrides+=(--set "jobs.count=$jobs")
  "$python" -m spot_broker.prices "$COSPOT_DATA/spotsim/prices_csv" -o "$prices"
  files=()
  for type in m1.small m1.large m1.xlarge c1.medium c1.xlarge; do
    files+=("{type: $type, datacenter: us-east-1, prices: '$prices/$type.csv'}")
  done
  ec2=(--ec2 "$prices/m1.small.csv")
  markets="{label: ec2, markets: [$(IFS=,; echo "${files[*]}")]}, $markets"
fi
overrides+=(--set "market=[$markets]")
# A database for each seed: more seeds go on from fewer.
results=() cheapest=()
for seed in $(seq "$seeds"); do
  results+=("$output/seed-$seed.db")
  "$cospot" compare "$here/grid.yaml" --resume -j "$threads" --db "$output/seed-$seed.db" \
    "${overrides[@]}" --set "seed=$seed"
  ((seed <= cheapest_seeds)) || continue
  cheapest+=("$output/cheapest-$seed.db")
  "$cospot" compare "$here/grid.yaml" --resume -j "$threads" --db "$output/cheapest-$seed.db" \
    "${overrides[@]}" --set "seed=$seed" --set "market_choice=cheapest"
done
"$python" -m spot_broker.page "${results[@]}" --cheapest "${cheapest[@]}" "${ec2[@]}" \
  -o "$output" ${document:+--document "$document"}
