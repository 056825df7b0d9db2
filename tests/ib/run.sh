#!/usr/bin/env bash
# A fabric of 18 switches and 36 hosts in ibsim, managed by OpenSM. Checks discovery, paths, and written tables as
# `smpquery` reads them, also when OpenSM sweeps, links move and hosts stop responding. The same with the controller
# (`bandwise saba controller`), which is killed too.
#   tests/ib/run.sh PATH-OF-BANDWISE PATH-OF-THE-IBSIM-TESTS
# Prints a line that starts with SKIP if that is unavailable. The last line has the counts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bandwise=$(realpath "${1:?the path of the bandwise program}")
ibsim=$(realpath "${2:?the path of the test ibsim of the crate enforce}")

skip() {
  echo "SKIP ib: $1"
  exit 0
}
. "$here/../packages.sh"
packages ib || skip "$cause"
umad=$(dpkg -L libumad2sim0 ibsim-utils 2>/dev/null | grep -m1 'libumad2sim\.so' || true)
[ -n "$umad" ] || skip "ibsim-utils has no libumad2sim.so"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
wrong=0
for check in "check.py $ibsim" "controller.py $here/../lab"; do
  mkdir "$scratch/${check%% *}"
  python3 "$here/${check%% *}" "$bandwise" "$umad" "$scratch/${check%% *}" "${check#* }" || wrong=1
done
exit $wrong
