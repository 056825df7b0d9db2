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
has_all() { command -v tshark >/dev/null && "$python" -c "import scapy.contrib.roce" 2>/dev/null; }
if ! has_all; then
  [ "$(id -u)" = 0 ] || skip "tshark or python3-scapy is not installed, and only root can do that"
  command -v apt-get >/dev/null || skip "tshark or python3-scapy is missing, and so is apt-get"
  echo "Installing tshark and python3-scapy with apt-get."
  { apt-get update && DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=120 tshark python3-scapy; } \
    >/dev/null 2>&1 || skip "apt-get could not install tshark and python3-scapy"
  has_all || skip "tshark or python3-scapy does not run"
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
PYTHONDONTWRITEBYTECODE=1 timeout --kill-after=5 300 "$python" "$here/check.py" "$bandwise"
