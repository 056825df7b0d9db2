#!/usr/bin/env bash
# Opens a report in a real browser: tests/web/run.sh REPORT.html [FOLDER-FOR-SCREENSHOTS]. Leaves no files.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

skip() {
  echo "SKIP web: $1"
  exit 0
}

. "$here/../packages.sh"
packages web || skip "$cause"

report=${1:?the page}
PYTHONDONTWRITEBYTECODE=1 timeout --kill-after=5 60 python3 "$here/check.py" "$report" ${2:+"$2"}
