#!/usr/bin/env bash
# Reads packets written by `sim run --trace` with Wireshark's dissector and Scapy:
#   tests/trace/run.sh PATH-OF-BANDWISE
# Prints a line that starts with SKIP if the programs are unavailable. The last line has the counts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bandwise=$(realpath "${1:?the path of the bandwise program}")

skip() {
  echo "SKIP trace: $1"
  exit 0
}

# Debian's Python, for which Debian's Scapy is built.
python=/usr/bin/python3
. "$here/../packages.sh"
packages trace || skip "$cause"
"$python" -c "import scapy.contrib.roce" 2>/dev/null || skip "python3-scapy does not run"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
PYTHONDONTWRITEBYTECODE=1 timeout --kill-after=5 300 "$python" "$here/check.py" "$bandwise"
