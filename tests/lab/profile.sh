#!/usr/bin/env bash
# The profiler (`bandwise saba profile`) on the links of a lab: a program that mostly moves data, and one that mostly
# computes; killed and gone on; links as they were at the end.
#   tests/lab/profile.sh PATH-OF-BANDWISE
# Prints a line that starts with SKIP where that can't be had. The last line counts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bandwise=$(realpath "${1:?the path of the bandwise program}")

what=profile
. "$here/made.sh"

lab=p$$
finish() {
  "$bandwise" lab down --force --name "$lab" >/dev/null 2>&1 || true
  rm -rf "$scratch"
}
trap finish EXIT
made "$lab" 2
cd "$scratch"
"$bandwise" lab weights --name "$lab" h2 10=3 12=1 >/dev/null
"$bandwise" lab status --name "$lab" >before

profile() { # NAME BYTES SECONDS-OF-COMPUTING [FLAG]...
  local name=$1 bytes=$2 seconds=$3
  shift 3
  "$bandwise" saba profile --app "$name" --lab "$lab" --at 10,30,100 --within 100 --table table.toml "$@" \
    -- python3 "$here/moves.py" "$bandwise" "$lab" "$bytes" "$seconds"
}
# The slowdown with the least bandwidth, by the JSON of a profile.
slowdown() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["shares"][0]["slowdown"])' "$1"; }
is() { python3 -c "import sys; sys.exit(not ($1))"; }

one_that_moves_data_loses() {
  profile moving 10000000 0.1 --repeat 2 --json moving.json 2>/dev/null | sed 's/^/  /' && is "$(slowdown moving.json) > 2"
}
one_that_computes_does_not() {
  profile computing 60000 0.6 --repeat 2 --json computing.json 2>/dev/null | sed 's/^/  /' &&
    is "$(slowdown computing.json) < 1.5"
}
links_are_as_they_were() { "$bandwise" lab status --name "$lab" | cmp -s before -; }
killed_it_goes_on() {
  local runs=0 pid
  profile killed 1000000 0.1 --repeat 1 --json killed.json >/dev/null 2>&1 &
  pid=$!
  while [ "$runs" -lt 3 ]; do
    runs=$(cat killed.profile 2>/dev/null | wc -l)
    kill -0 $pid 2>/dev/null || break
  done
  pkill -9 -f "saba profile --app killed --lab $lab" || true
  wait $pid 2>/dev/null || true
  cp killed.profile half
  # Whatever the killed one had started has the port until it is through.
  while pgrep -f "$here/moves.py $bandwise $lab" >/dev/null; do :; done
  profile killed 1000000 0.1 --repeat 1 --json killed.json >/dev/null 2>&1 &&
    [ "$(wc -l <killed.profile)" = 5 ] && [ "$(head -n "$(wc -l <half)" killed.profile | cmp - half; echo $?)" = 0 ]
}
too_little_bandwidth_is_refused() {
  ! "$bandwise" saba profile --app x --lab "$lab" --at 0.1,50,100 -- true >said 2>&1 && grep -q "0.1% is a link of" said &&
    [ ! -e x.profile ]
}
all_are_in_the_table() { [ "$(grep -c '^name = ' table.toml)" = 3 ]; }

checks=(one_that_moves_data_loses one_that_computes_does_not links_are_as_they_were killed_it_goes_on
  links_are_as_they_were too_little_bandwidth_is_refused all_are_in_the_table)
count "${checks[@]}"
