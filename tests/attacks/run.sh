#!/usr/bin/env bash
# Attacks a controller by one credential and by none, in all ways at once, while another credential works. Then checks that
# thousands of registrations leave nothing behind.
#   tests/attacks/run.sh PATH-OF-BANDWISE [CONNECTIONS [SECONDS]]
# CONNECTIONS is the number that the attacker holds (10000), SECONDS the duration (8). Prints how long the other's calls
# took. `churn.py` alone takes another number of registrations. The last line has the counts. Needs no root and nothing but
# Python.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bandwise=$(realpath "${1:?the path of the bandwise program}")
command -v python3 >/dev/null || { echo "SKIP attacks: python3 is not installed"; exit 0; }
failed=0
python3 "$here/run.py" "$bandwise" "${2:-10000}" "${3:-8}" || failed=1
python3 "$here/churn.py" "$bandwise" || failed=$((failed + 1))
echo "attacks: $((2 - failed)) passed, $failed failed"
[ "$failed" = 0 ]
