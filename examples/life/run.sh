#!/usr/bin/env bash
# The numbers of docs/life.md: what retries, returning spots, failures and maintenance do to gain and
# VM loss on the Azure workloads. COSPOT_DATA names the folder with azure2020-cospot/; `cospot` is in
# the PATH. A few seconds of one core.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
into=${1:-life-results}
: "${COSPOT_DATA:?names the folder that holds azure2020-cospot/batched}"
mkdir -p "$into"
cospot compare "$here/azure.yaml" -q -j 1 --timing off --db "$into/life.db" --csv "$into/life.csv" --force
cospot summary "$into/life.db"
