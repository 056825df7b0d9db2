#!/usr/bin/env bash
# Real controllers under faults that a seed draws: kills, stops, partitions, other clocks, full and failing disks, lost
# leaders, emptied and restored stores, lost ports. The answers of clients and the ports are checked between the faults.
#   tests/faults/run.sh PATH-OF-BANDWISE [--minutes N | --hours N] [--seed N]
# Prints a line that starts with SKIP if that is unavailable. The last line has the counts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
what=faults
skip() {
  echo "SKIP $what: $1"
  exit 0
}
[ "$(id -u)" = 0 ] || skip "network namespaces need root"
. "$here/../packages.sh"
packages lab || skip "$cause"
packages etcd || skip "$cause"
packages faults || echo "SKIP faults: dates are not changed, because $cause"
PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/suite.py" "$@"
