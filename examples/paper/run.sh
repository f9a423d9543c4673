#!/usr/bin/env bash
# Makes the whole evaluation of the CoSpot paper again: README.md beside this file says what it
# writes. With workloads given, or with COSPOT_DATA, over those; else over small made-up ones.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: run.sh [options] [WORKLOAD...]
  WORKLOAD          workload files; none: the ten samples below $COSPOT_DATA, or without
                    COSPOT_DATA two small made-up workloads
  -o FOLDER         where to write (results/paper)
  -j N              threads (as many as processors)
  --train           train LPML on the first three days of these workloads first; else the model
                    that is built in is used
  --timing on|off   off: leave out the times, so that all output repeats (on)
  --document FILE   also put the table between the markers of this Markdown file
COSPOT names the program (build/release/cospot), COSPOT_PYTHON the Python (/usr/bin/python3).
TEXT
}

fail() {
  echo "cospot: $1" >&2
  exit 2
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
output=results/paper
threads=$(nproc)
train=no
timing=on
document=()
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
        --document) document=(--document "$2") ;;
      esac
      shift 2 ;;
    -*) fail "unknown option $1; see run.sh --help" ;;
    *) workloads+=("$1"); shift ;;
  esac
done
[[ $timing == on || $timing == off ]] || fail "--timing $timing; expected on or off"

cospot=${COSPOT:-$root/build/release/cospot}
python=${COSPOT_PYTHON:-/usr/bin/python3}
[[ -x $cospot ]] || fail "$cospot: no such program; build it, or name it with COSPOT"
staged=$(dirname "$(readlink -f "$cospot")")/python
if [[ -d $staged ]]; then
  export PYTHONPATH=$staged${PYTHONPATH:+:$PYTHONPATH}
fi
"$python" -c "import cospot.paper.figures" 2>/dev/null ||
  fail "$python cannot import cospot, pandas and matplotlib; name another with COSPOT_PYTHON"

quoted() { printf '"%s"' "$(printf %s "$1" | sed 's/[\\"]/\\&/g')"; }

overrides=()
if ((${#workloads[@]})); then
  list=""
  for workload in "${workloads[@]}"; do
    [[ -f $workload ]] || fail "$workload: no such file"
    list+="{path: $(quoted "$(readlink -f "$workload")"), label: $(quoted "$workload")}, "
  done
  overrides=(--set "workloads=[${list%, }]")
elif [[ -n ${COSPOT_DATA:-} ]]; then
  # shellcheck disable=SC2016  # cospot replaces it, so that labels do without the folder
  data='${COSPOT_DATA}/azure2020-cospot'
  overrides=(--set "workloads=[\"$data/batched/*.csv.gz\", \"$data/bernoulli/*.csv.gz\"]")
  workloads=("$COSPOT_DATA"/azure2020-cospot/{batched,bernoulli}/*.csv.gz)
else
  workloads=(azure2020:seed=1:scale=0.001 azure2020:seed=1:scale=0.001:sampling=bernoulli)
fi

mkdir -p "$output"
output=$(cd "$output" && pwd)
evictor=()
if [[ $train == yes ]]; then
  echo "== Training LPML"
  "$cospot" lifetime train "${workloads[@]}" -o "$output/lpml.txt"
  evictor=(--set "evictor=[FIFO, {name: LPML, model: $(quoted "$output/lpml.txt")}, LPO]")
fi

echo "== The grid"
"$cospot" compare "$here/grid.yaml" "${overrides[@]}" "${evictor[@]}" --timing "$timing" \
  -j "$threads" --db "$output/grid.db" --csv "$output/grid.csv" --force >"$output/summary.txt"
"$cospot" report "$output/grid.db" -o "$output/grid.html" --title "CoSpot's grid" >/dev/null

echo "== Rival rankings, and worse ones"
"$cospot" compare "$here/rivals.yaml" "${overrides[@]}" --timing "$timing" \
  -j "$threads" --db "$output/rivals.db" --force >/dev/null
"$cospot" degradation "$here/degradation.yaml" "${overrides[@]}" \
  -j "$threads" --csv "$output/degradation.csv" >/dev/null

echo "== Figures and findings"
"$python" -m cospot.paper "$output/grid.db" --rivals "$output/rivals.db" \
  --degradation "$output/degradation.csv" --timing "$timing" -o "$output" "${document[@]}"
