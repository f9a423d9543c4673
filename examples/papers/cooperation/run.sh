#!/usr/bin/env bash
# Makes the whole evaluation of the CoSpot paper again: README.md beside this file says what it
# writes. With workloads given, or with COSPOT_DATA, over those; else over small synthetic ones.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: run.sh [options] [WORKLOAD...]
  WORKLOAD          workload files, folders, or specs such as azure2020:seed=1:scale=0.001; none:
                    the folder $COSPOT_DATA/azure2020-cospot, or without COSPOT_DATA two small synthetic
                    workloads. Of a folder the files .csv and .csv.gz in its folders batched and
                    bernoulli, as `cospot workload fetch cospot --to FOLDER` makes them; without those
                    two, the ones in the folder itself
  -o FOLDER         where to write (results/cooperation)
  -j N              threads (as many as processors)
  --train           train LPML on the first three days of these workloads first; else the model
                    that is built in is used
  --timing on|off   off: leave out the times, so that all output repeats (on)
  --document FILE   also put the table between the markers of this Markdown file
COSPOT names the program (build/release/cospot), COSPOT_PYTHON the Python (/usr/bin/python3).
TEXT
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=examples/papers/setup.sh
. "$here/../setup.sh"
output=results/cooperation
threads=$(nproc)
train=no
timing=on
document=
given=()
workloads=()
while (($#)); do
  case $1 in
    -h | --help) usage; exit 0 ;;
    --train) train=yes; shift; continue ;;
    -o | -j | --timing | --document)
      (($# > 1)) || fail "$1 needs a value; see run.sh --help"
      case $1 in
        -o) output=$2 ;;
        -j) threads=$2 ;;
        --timing) timing=$2 ;;
        --document) document=$2 ;;
      esac
      shift 2 ;;
    -*) fail "unknown option $1; see run.sh --help" ;;
    *) given+=("$1"); shift ;;
  esac
done
[[ $timing == on || $timing == off ]] || fail "--timing $timing; expected on or off"

require_program
require_document "$document"

# Writes the workload files of a folder, each ended by a zero byte. One that is there both compressed and
# plain is one workload.
files_in() (
  shopt -s nullglob
  LC_ALL=C # the order of the files does not depend on where it runs
  folders=()
  for kind in batched bernoulli; do
    [[ ! -d $1/$kind ]] || folders+=("$1/$kind")
  done
  ((${#folders[@]})) || folders=("$1")
  for folder in "${folders[@]}"; do
    for file in "$folder"/*.csv "$folder"/*.csv.gz; do
      [[ -e $file.gz ]] || printf '%s\0' "$file"
    done
  done | sort -z
)

# Adds a workload, or the files of a folder, to `workloads`.
add_workload() {
  local -a found=("$1")
  if [[ -d $1 ]]; then
    mapfile -d '' -t found < <(files_in "${1%/}")
    ((${#found[@]})) || fail "$1: no workload files (.csv, .csv.gz); see run.sh --help"
  fi
  workloads+=("${found[@]}")
}

quoted() { printf '"%s"' "$(printf %s "$1" | sed 's/[\\"]/\\&/g')"; }

# A workload as a sweep file writes it. A file that exists wins over a spec, as in cospot.
as_sweep_writes() {
  local settings=${1#azure2020}
  if [[ -f $1 ]]; then
    printf '{path: %s, label: %s}' "$(quoted "$(readlink -f "$1")")" "$(quoted "$1")"
  elif [[ $1 =~ ^azure2020(:[a-z]+=[A-Za-z0-9.]+)*$ ]]; then
    settings=${settings//:/, }
    printf '{synthetic: azure2020%s}' "${settings//=/: }"
  else
    fail "$1: no such file, nor a workload spec such as azure2020:seed=1:scale=0.001"
  fi
}

list=
if ((${#given[@]})); then
  for workload in "${given[@]}"; do
    add_workload "$workload"
  done
  for workload in "${workloads[@]}"; do
    written=$(as_sweep_writes "$workload") || exit
    list+="$written, "
  done
elif [[ -n ${COSPOT_DATA:-} ]]; then
  [[ -d $COSPOT_DATA ]] || fail "COSPOT_DATA=$COSPOT_DATA: no such folder"
  COSPOT_DATA=$(cd "$COSPOT_DATA" && pwd)
  data=$COSPOT_DATA/azure2020-cospot
  [[ -d $data ]] || fail "$data: no such folder; cospot workload fetch cospot --to makes it"
  add_workload "$data"
  for workload in "${workloads[@]}"; do
    # cospot replaces the variable, so that labels do without the folder.
    list+="$(quoted "\${COSPOT_DATA}${workload#"$COSPOT_DATA"}"), "
  done
else
  workloads=(azure2020:seed=1:scale=0.001 azure2020:seed=1:scale=0.001:sampling=bernoulli)
fi
overrides=()
[[ -z $list ]] || overrides=(--set "workloads=[${list%, }]")

mkdir -p "$output" 2>/dev/null || fail "$output: no such folder, and it cannot be made"
[[ -w $output ]] || fail "$output: cannot be written to"
output=$(cd "$output" && pwd)
evictor=()
again=
if [[ $train == yes ]]; then
  echo "== Training LPML"
  "$cospot" lifetime train "${workloads[@]}" -o "$output/lpml.txt"
  # Relative to the sweep, which runs from its copy there: the report names both.
  evictor=(--set "evictor=[FIFO, {name: LPML, model: lpml.txt}, LPO]")
fi

echo "== The grid"
[[ $output -ef $here ]] || cp "$here/grid.yaml" "$output/grid.yaml"
(
  cd "$output"
  "$cospot" compare grid.yaml "${overrides[@]}" "${evictor[@]}" --timing "$timing" \
    -j "$threads" --db grid.db --csv grid.csv --force >summary.txt
  "$cospot" report grid.db -o grid.html --title "CoSpot's grid" >/dev/null
)

# The release has its sizes beside its workloads.
sizes=${given[0]:-${data:-}}/server_vm_cores_ram.json
[[ -f $sizes ]] || sizes=

if [[ $timing == on ]]; then
  echo "== The runs with the longest allocations again"
  again=$output/again.csv
  "$python" -m cooperation.again "$output/grid.db" "$cospot" -o "$again"
fi

echo "== Rankings of prior work, and worse ones"
"$cospot" compare "$here/prior_work.yaml" "${overrides[@]}" --timing "$timing" \
  -j "$threads" --db "$output/prior_work.db" --force >/dev/null
"$cospot" compare "$here/degradation.yaml" "${overrides[@]}" --timing "$timing" -j "$threads" \
  --db "$output/degradation.db" --csv "$output/degradation.csv" --force >/dev/null

echo "== Choices that the paper leaves open"
mkdir -p "$output/choices"
# choice NAME OPTION...: the part of the grid under one choice. `choices.py` has their names.
choice() {
  "$cospot" compare "$here/choices.yaml" "${overrides[@]}" "${@:2}" --timing off -j "$threads" \
    --db "$output/choices/$1.db" --force >/dev/null
}
# Copies a workload without its requests before time 0.
without_past() {
  zcat -f "$1" | awk -F, '/^#/ {print; next}
    !column {for (i = 1; i <= NF; i++) if ($i ~ /^start/) column = i; print; next}
    $column >= 0'
}
choice as_run
choice host_9600 --set 'host={vcpus: 9600, memory_mb: 2250}'
choice host_6400 --set 'host={vcpus: 6400, memory_mb: 3072}'
choice window_90 --window-days 90
choice one_size --set headroom_of=study
choice normalised --set 'vm=[UTIL, {name: COS, capacity_normalised: true}, DPD]'
# ties WEIGHER WEIGHER WEIGHER: by which UTIL, COS and DPD settle their ties.
ties() {
  local name list=
  for name in UTIL COS DPD; do
    list+="{label: $name, weighers: [{name: $name, multiplier: 1000000}, $1]}, "
    shift
  done
  echo "vm=[${list%, }]"
}
choice ties_by_vms --set "$(ties COS UTIL UTIL)"
choice ties_by_memory --set "$(ties RAMWeigher RAMWeigher RAMWeigher)"
list=
for i in "${!workloads[@]}"; do
  [[ -f ${workloads[i]} ]] || continue
  without_past "${workloads[i]}" >"$output/choices/no_past_$i.csv"
  list+="$(quoted "$output/choices/no_past_$i.csv"), "
done
[[ -z $list ]] || choice no_past --set "workloads=[${list%, }]"

echo "== Figures and findings"
"$python" -m cooperation.page "$output/grid.db" --prior-work "$output/prior_work.db" \
  --degradation "$output/degradation.csv" --choices "$output/choices" --timing "$timing" -o "$output" \
  ${sizes:+--sizes "$sizes"} ${again:+--again "$again"} ${document:+--document "$document"}
