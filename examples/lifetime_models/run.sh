#!/usr/bin/env bash
# Trains lifetime models on half of CoSpot's twenty workloads and judges them on the other half, both
# ways round: README.md beside this file says how. Needs COSPOT_DATA; writes to results/lifetime_models,
# or the folder that is given.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cospot=${COSPOT:-$here/../../build/release/cospot}
python=${COSPOT_PYTHON:-/usr/bin/python3}
threads=${THREADS:-$(nproc)}
data=${COSPOT_DATA:?names the folder of the released workloads}/azure2020-cospot
output=${1:-results/lifetime_models}
mkdir -p "$output"
output=$(cd "$output" && pwd)

# workloads NUMBER...: the samples of both kinds with these numbers.
workloads() {
  local kind number
  for kind in batched bernoulli; do
    for number in "$@"; do echo "$data/$kind/relevant-vm-1pcnt_$number.csv.gz"; done
  done
}

# compare DATABASE EVICTORS WORKLOAD...
compare() {
  local database=$1 evictors=$2
  shift 2
  "$cospot" compare "$here/grid.yaml" --db "$database" --force -q -j "$threads" \
    --set "workloads=[$(IFS=,; echo "$*")]" --set "evictor=$evictors"
}

# The designs of Kaplan-Meier curves among which the training workloads choose.
designs=(all-0 all-5 flavor-0 flavor-5)

# fold NAME "TRAINING NUMBERS" "HELD-OUT NUMBERS"
fold() {
  local name=$1 folder=$output/$1 training held_out design evictors=
  # shellcheck disable=SC2086 # numbers are words
  mapfile -t training < <(workloads $2)
  # shellcheck disable=SC2086
  mapfile -t held_out < <(workloads $3)
  mkdir -p "$folder"
  "$cospot" lifetime train "${training[@]}" -o "$folder/network.txt"
  for design in "${designs[@]}"; do
    "$cospot" lifetime train "${training[@]}" --kind kaplan-meier --by "${design%-*}" \
      --least-share "${design#*-}" -o "$folder/$design.txt"
    evictors+="{name: LPKM, label: $design, model: $folder/$design.txt}, "
  done
  compare "$folder/training.db" "[$evictors]" "${training[@]}"
  design=$("$python" "$here/judge.py" choose "$folder/training.db")
  echo "fold $name: of the designs the training workloads choose $design"
  compare "$folder/held-out.db" "[FIFO, YJF, {name: LPML, model: $folder/network.txt}, \
{name: LPKM, model: $folder/$design.txt}, LPO]" "${held_out[@]}"
}

fold A "0 1 2 3 4" "5 6 7 8 9"
fold B "5 6 7 8 9" "0 1 2 3 4"
"$python" "$here/judge.py" choices "$output/A/training.db" "$output/B/training.db" |
  tee "$output/choices.md"
"$python" "$here/judge.py" table "$output/A/held-out.db" "$output/B/held-out.db" |
  tee "$output/table.md"
