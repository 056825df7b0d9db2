#!/usr/bin/env bash
# Opens a report in a real browser: tests/web/run.sh [REPORT.html [FOLDER-FOR-SCREENSHOTS]]. Without a report it renders
# the sample of crates/report. Leaves no files.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

skip() {
  echo "SKIP web: $1"
  exit 0
}

command -v python3 >/dev/null || skip "python3 is not installed"
if ! command -v chromium >/dev/null; then
  [ "$(id -u)" = 0 ] || skip "chromium is not installed, and only root can install it"
  command -v apt-get >/dev/null || skip "chromium is not installed, and there is no apt-get"
  { apt-get update && DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=120 chromium; } \
    >/dev/null 2>&1 || skip "chromium could not be installed"
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
report=${1:-$scratch/report.html}
if [ $# = 0 ]; then
  (cd "$here/../.." && cargo run -q -p bandwise-report --example sample) >"$report"
fi
PYTHONDONTWRITEBYTECODE=1 timeout --kill-after=5 60 python3 "$here/check.py" "$report" ${2:+"$2"}
