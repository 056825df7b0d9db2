#!/usr/bin/env bash
# Opens a report in a real browser: tests/web/run.sh [REPORT.html [FOLDER-FOR-SCREENSHOTS]]. Without a report it renders
# the sample of crates/report. Leaves no files.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

skip() {
  echo "SKIP web: $1"
  exit 0
}

. "$here/../packages.sh"
packages web || skip "$cause"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
report=${1:-$scratch/report.html}
if [ $# = 0 ]; then
  (cd "$here/../.." && cargo run -q -p bandwise-report --example sample) >"$report"
fi
PYTHONDONTWRITEBYTECODE=1 timeout --kill-after=5 60 python3 "$here/check.py" "$report" ${2:+"$2"}
