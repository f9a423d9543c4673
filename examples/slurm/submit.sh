#!/usr/bin/env bash
# Runs a sweep as a Slurm job array and merges the shards when all are done:
#
#   examples/slurm/submit.sh SWEEP.yaml RESULTS_FOLDER [TASKS]
#
# The sweep file, its workloads and the folder must be on a file system that the nodes share.
set -euo pipefail

if [ $# -lt 2 ] || [ $# -gt 3 ]; then
  echo "Usage: examples/slurm/submit.sh SWEEP.yaml RESULTS_FOLDER [TASKS]" >&2
  exit 2
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
SWEEP=$(realpath "$1")
mkdir -p "$2"
RESULTS=$(realpath "$2")
SHARDS=${3:-16}
export SWEEP RESULTS SHARDS

# Started afresh: shards of another sweep or of another number of tasks must not be merged in.
if compgen -G "$RESULTS/shard-*.db" >/dev/null; then
  echo "submit.sh: $RESULTS holds shards already; choose another folder or remove them" >&2
  exit 2
fi
# --parsable prints the job's number and, on several clusters, a semicolon and the cluster's name.
array=$(sbatch --parsable --export=ALL --array="1-$SHARDS" --output="$RESULTS/%A-%a.log" \
  "$here/sweep.sbatch")
sbatch --parsable --export=ALL --dependency="afterok:${array%%;*}" --kill-on-invalid-dep=yes \
  --output="$RESULTS/merge-%j.log" "$here/merge.sbatch"
