#!/usr/bin/env bash
# Evaluates the Economy class (Carvalho et al., SoCC 2014) on public data: README.md beside this file.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: run.sh [options] DATA
  DATA              a folder with krc_hpc_jobs, cloud_cluster_capacity, wagap2013_swf, bitbrains_small
                    and (for the Azure workloads) azure2020-cospot; what is missing is left out
  --google FILE     the load of a cell of Google's trace of 2019 (time_s,capacity,used,reserved): README.md
  -o FOLDER         where to write (results/economy_class)
  --forecasters A,B mean,minimum,arima,ets,oracle; arima and ets need statsmodels
  --document FILE   also put the tables between the markers of this Markdown file
COSPOT names the program (build/release/cospot), COSPOT_PYTHON the Python (/usr/bin/python3).
TEXT
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=examples/papers/setup.sh
. "$here/../setup.sh"
output=results/economy_class
forecasters=mean,minimum,arima,ets,oracle
document=
google=
data=
while (($#)); do
  case $1 in
    -h | --help) usage; exit 0 ;;
    -o | --google | --forecasters | --document)
      (($# > 1)) || fail "$1 needs a value; see run.sh --help"
      case $1 in
        -o) output=$2 ;;
        --google) google=$2 ;;
        --forecasters) forecasters=$2 ;;
        --document) document=$2 ;;
      esac
      shift 2 ;;
    -*) fail "unknown option $1; see run.sh --help" ;;
    *) [[ -z $data ]] || fail "two folders; see run.sh --help"; data=$1; shift ;;
  esac
done
[[ -n $data ]] || fail "which folder? see run.sh --help"
[[ -d $data ]] || fail "there is no folder $data"
[[ -z $google || -r $google ]] || fail "there is no file $google"
require_program
require_document "$document"
mkdir -p "$output"

make_usage() {
  "$python" "$here/make_usage.py" "$@"
}

jobs=("$data"/krc_hpc_jobs/HPC_KRC_jobs_2009_2011.csv.gz "$data"/krc_hpc_jobs/HPC_KRC2_jobs.csv.gz)
if [[ -e ${jobs[0]} ]]; then
  for cores in 80 400; do
    make_usage krc "${jobs[@]}" --capacity $cores -o "$output/krc-$cores.csv.gz"
  done
fi
pools=$data/cloud_cluster_capacity/pool_cpu_usage_5min.csv.gz
if [[ -e $pools ]]; then
  make_usage pool "$pools" --pool cluster39 -o "$output/cluster39.csv.gz"
fi
wagap=$data/wagap2013_swf/wagap-2013.nodelists-removed.swf.gz
if [[ -e $wagap ]]; then # 20 nodes of 80 cores and 48 of 12; README.md promises what they leave unused
  make_usage swf "$wagap" --capacity 2176 --from-day 7 -o "$output/wagap.csv.gz"
  # 20 nodes of 529,426,432 KiB and 48 of 94,035,968
  make_usage swf "$wagap" --memory --capacity 14748296 --from-day 7 -o "$output/wagap-memory.csv.gz"
fi
trace=$data/bitbrains_small/bitbrains_small_trace.csv.gz
if [[ -e $trace ]]; then
  make_usage vms "$trace" "$data/bitbrains_small/bitbrains_small_vms.csv" -o "$output/bitbrains.csv.gz"
fi
rm -f "$output/google.csv.gz"
[[ -z $google ]] || cp "$google" "$output/google.csv.gz"
azure=$(find "$data/azure2020-cospot/batched" -name '*.csv.gz' 2>/dev/null | sort | sed -n 1p)
"$python" -m economy_class.page "$output" ${azure:+--azure "$azure"} --forecasters "$forecasters" \
  -o "$output" ${document:+--document "$document"}
