#!/usr/bin/env bash
# Changes the source of the handshake, the evictors and the lifetime promises one operator, bound or statement at a time,
# and lists the changes that no unit test notices. `--help` has the options; CONTRIBUTING.md says what to do with the list.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec nice /usr/bin/python3 tests/mutants/run.py "$@"
