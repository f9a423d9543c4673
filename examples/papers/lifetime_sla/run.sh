#!/usr/bin/env bash
# Makes the evaluation of "Providing Lifetime SLAs for Cloud Spot Instances" again: README.md beside this
# file says what it writes.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: run.sh [options]
  --traces FOLDER   the production traces, as ds2.txt, ds3.txt, ds5.txt and ds6.txt; without it their stand-ins
  --azure FOLDER    also the Azure workloads of that folder (.csv, .csv.gz), CoSpot's placement
  --seeds N         seeds of the synthetic traces, of the estimator's starting points and of unseen time (10)
  --quick           only to try it: 1 seed, 200 starting points, a refresh a day; the numbers mean little
  -o FOLDER         where to write (results/lifetime_sla)
  -j N              threads (as many as processors)
  --document FILE   also put the page between the markers of this Markdown file
COSPOT names the program (build/release/cospot), COSPOT_PYTHON the Python (/usr/bin/python3).
TEXT
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=examples/papers/setup.sh
. "$here/../setup.sh"
output=results/lifetime_sla
threads=$(nproc)
traces=
azure=
seeds=10
quick=()
document=
while (($#)); do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --quick) seeds=1; quick=(--set samples=200 --set refresh_hours=24); shift ;;
    --traces | --azure | --seeds | -o | -j | --document)
      (($# > 1)) || fail "$1 needs a value; see run.sh --help"
      case $1 in
        --traces) traces=$2 ;;
        --azure) azure=$2 ;;
        --seeds) seeds=$2 ;;
        -o) output=$2 ;;
        -j) threads=$2 ;;
        --document) document=$2 ;;
      esac
      shift 2 ;;
    *) fail "unknown option $1; see run.sh --help" ;;
  esac
done

require_program
require_document "$document"
[[ -z $azure || -d $azure ]] || fail "$azure: no such folder"
mkdir -p "$output"
output=$(cd "$output" && pwd)

kind=traces
if [[ -z $traces ]]; then
  kind=stand-ins
  traces=$output
  for trace in ds2 ds3 ds5 ds6; do
    "$cospot" sla stand-in $trace --seed 1 -o "$output/$trace.txt"
  done
fi
for trace in ds2 ds3 ds5 ds6; do
  [[ -r $traces/$trace.txt ]] || fail "$traces/$trace.txt: no such trace"
done
traces=$(cd "$traces" && pwd)

# compare NAME STUDY [--set ...]: the runs of a study, as NAME.db and NAME.csv, and what they come to.
compare() {
  local name=$1 study=$2
  shift 2
  "$cospot" compare "$study" -q -j "$threads" --db "$output/$name.db" --csv "$output/$name.csv" --force "$@" "${quick[@]}"
  "$cospot" summary "$output/$name.db" > "$output/$name.txt"
}

all_seeds="[$(seq -s, "$seeds")]"
synthetic=$here/synthetic.yaml
production=$here/production.yaml

# E1: synthetic traces. E2 is a quote on them, which the page makes.
compare e1 "$synthetic" --set "seed=$all_seeds"

# E3, E4: production traces on their own platforms and on smaller ones. A trace is what it is, so that
# seeds draw other starting points only.
pair() {
  local name=$1 on_demand=$2 spot=$3 vcpus=$4 host_counts=$5
  shift 5
  compare "$name" "$production" --set "workloads=$traces/$on_demand.txt" --set "spot_workloads=$traces/$spot.txt" \
    --set "host.vcpus=$vcpus" --set "hosts=$host_counts" --set "seed=$all_seeds" "$@"
}
pair e3-ab ds2 ds3 12 '[7, 6, 5, 4]' --set 'target=[none, 0.01]'
pair e3-ba ds3 ds2 8 7 --set 'target=[none, 0.01]'
pair e3-cd ds5 ds6 32 '[31, 26, 21, 16]' --set 'target=[none, 0.01]'
pair e3-dc ds6 ds5 32 31 --set 'target=[none, 0.01]'

# Settings on which the paper is silent. Where the samples of all refreshes are kept, a refresh takes
# 100 points instead of 10,000, and `few` says what that alone changes.
silent() {
  local name=$1
  shift
  pair "$name-ab" ds2 ds3 12 7 --set target=0.01 "$@"
  pair "$name-ba" ds3 ds2 8 7 --set target=0.01 "$@"
  pair "$name-cd" ds5 ds6 32 31 --set target=0.01 "$@"
  pair "$name-dc" ds6 ds5 32 31 --set target=0.01 "$@"
}
few_seeds="[$(seq -s, "$((seeds < 3 ? seeds : 3))")]"
silent first --set victim=first_host --set 'target=[none, 0.01]' --set "seed=$few_seeds"
silent shift --set spot_end=shift --set 'target=[none, 0.01]' --set "seed=$few_seeds"
silent sofar --set censored=so_far --set "seed=$few_seeds"
silent without --set history=without_evictions
silent few --set samples=100 --set "seed=$few_seeds"
silent all --set samples=100 --set "seed=$few_seeds" --set samples_kept=all
"$python" -m lifetime_sla.order "$traces"/ds{2,3,5,6}.txt -o "$output/ordered"
traces=$output/ordered silent order --set 'target=[none, 0.01]' --set "seed=$few_seeds"

# The history of VMs alone was tried after the paper's numbers had been seen.
silent vms --set history=on_demand
silent vms50 --set history=on_demand --set least_samples=50
pair vms-ab-fewer ds2 ds3 12 '[6, 5, 4]' --set target=0.01 --set history=on_demand
pair vms50-ab-fewer ds2 ds3 12 6 --set target=0.01 --set history=on_demand --set least_samples=50
pair vms-cd-fewer ds5 ds6 32 '[26, 21, 16]' --set target=0.01 --set history=on_demand
compare vms-e1 "$synthetic" --set "seed=$all_seeds" --set history=on_demand

# Promises on time that the estimator has not seen: stand-ins, another draw for every seed.
unseen() {
  compare "$1" "$production" --set "workloads={synthetic: $2}" --set "spot_workloads={synthetic: $3}" \
    --set "host.vcpus=$4" --set "hosts=$5" --set "seed=$all_seeds" --set samples=2000
}
unseen unseen-ab ds2 ds3 12 7
unseen unseen-ba ds3 ds2 8 7
unseen unseen-cd ds5 ds6 32 31
unseen unseen-dc ds6 ds5 32 31

# The Azure workloads under a CoSpot placement, each in a datacenter of 1 % more hosts than its VMs need.
if [[ -n $azure ]]; then
  mapfile -t files < <(find "$azure" \( -name '*.csv' -o -name '*.csv.gz' \) ! -name 'vmType.csv*' | LC_ALL=C sort)
  ((${#files[@]})) || fail "$azure: no workload files (.csv, .csv.gz)"
  number=0
  for file in "${files[@]}"; do
    hosts=$("$python" -c 'import cospot, sys
workload = cospot.Workload.load(sys.argv[1])
print(cospot.size(workload, host=(10400, 2250), vm="COS", headroom_percent=1).hosts)' "$file")
    ((++number))
    compare "azure-$number" "$here/azure.yaml" --set "workloads=$(realpath "$file")" --set "hosts=$hosts"
  done
fi

"$python" -m lifetime_sla.page "$output" --traces "$traces" --kind "$kind" -o "$output" \
  ${document:+--document "$document"}
