#!/usr/bin/env bash
# Real programs under `bandwise saba run` on a lab: their output, exit code and time beside those without it, and the
# connections that the controller knows.
#   tests/lab/programs.sh PATH-OF-BANDWISE PATH-OF-THE-LIBRARY
# Prints a line that starts with SKIP if that is unavailable, also for each program that is not installed. The last line
# has the counts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bandwise=$(realpath "${1:?the path of the bandwise program}")
library=$(realpath "${2:?the path of libsaba_preload.so}")

what=programs
. "$here/made.sh"
packages programs || skip "$cause"

lab=m$$
controller=
finish() {
  # A second signal or a closed pipe must not interrupt this.
  trap '' HUP INT PIPE TERM
  [ -z "$controller" ] || { kill -9 "$controller" && wait "$controller" || true; } 2>/dev/null
  "$bandwise" lab down --force --name "$lab" >/dev/null 2>&1 || true
  rm -rf "$scratch"
}
trap finish EXIT
made "$lab" 3
cp "$here/../../docs/examples/controller/table.csv" "$scratch"
cat >"$scratch/controller.toml" <<SETTINGS
lab = "$lab"
table = "table.csv"
store = "store"
listen = "unix:socket"
[times]
lease = "3 s"
SETTINGS
"$bandwise" saba controller --config "$scratch/controller.toml" >>"$scratch/log" 2>&1 &
controller=$!
until "$bandwise" saba status --config "$scratch/controller.toml" >/dev/null 2>&1; do
  kill -0 $controller || { cat "$scratch/log" && exit 1; }
done
python3 "$here/programs.py" "$bandwise" "$lab" "$scratch" "$library"
