#!/usr/bin/env bash
# Compares two readings of the netlists in Debian's ibsim-utils: ibsim simulates each, and ibnetdiscover dumps it. The
# dump and the netlist must read as the same fabric.
#   tests/fabric/run.sh PATH-OF-BANDWISE
# Prints a line that starts with SKIP if the programs are unavailable. The last line has the counts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bandwise=${1:?the path of the bandwise program}

skip() {
  echo "SKIP fabric: $1"
  exit 0
}
. "$here/../packages.sh"
packages fabric || skip "$cause"
umad=$(dpkg -L libumad2sim0 ibsim-utils 2>/dev/null | grep -m1 'libumad2sim\.so' || true)
[ -n "$umad" ] || skip "ibsim-utils has no libumad2sim.so"

scratch=$(mktemp -d)
simulator=
finish() {
  # A second signal or a closed pipe must not interrupt this.
  trap '' HUP INT PIPE TERM
  [ -z "$simulator" ] || kill "$simulator" 2>/dev/null || true
  rm -rf "$scratch"
}
trap finish EXIT

# Dumps a netlist into $scratch/dump. ibsim runs until its standard input is closed, and reports when it listens.
dump() { # NETLIST
  local folder status=0
  folder=$(mktemp -d -p "$scratch")
  mkfifo "$folder/input" "$folder/output"
  # Sockets have this name, so that parallel runs do not collide.
  export IBSIM_SOCKNAME=bandwise-$$
  (cd "$folder" && exec ibsim -s -n "$1" <input >output 2>&1) &
  simulator=$!
  exec 7>"$folder/input" 8<"$folder/output"
  local line listening=
  while IFS= read -r -t 20 line <&8; do
    case $line in *"sim>"* | *"Network simulator ready"* | *"starting"*) listening=1 ;; esac
    [ -z "$listening" ] || break
  done
  cat <&8 >/dev/null &
  local host
  host=$(grep -m1 -oE '^(Hca|Ca)[^"]*"[^"]+"' "$1" | sed 's/.*"\(.*\)"/\1/')
  SIM_HOST=$host LD_PRELOAD=$umad timeout 20 ibnetdiscover >"$scratch/dump" 2>"$folder/error" ||
    status=$?
  exec 7>&-
  kill "$simulator" 2>/dev/null || true
  wait "$simulator" 2>/dev/null || true
  exec 8<&-
  simulator=
  [ "$status" = 0 ] || sed 's/^/  /' "$folder/error"
  return "$status"
}

# Counts hosts, switches and links as read by Bandwise.
counts() { "$bandwise" fabric show "$1" | grep -E '^(hosts|switches|links) ' | tr -s ' '; }

passed=0
failed=0
for netlist in /usr/share/doc/ibsim-utils/net-examples/net*; do
  name=$(basename "$netlist")
  text=$netlist
  case $netlist in *.gz) gunzip -c "$netlist" >"$scratch/$name" && text=$scratch/$name ;; esac
  if ! dump "$text"; then
    echo "$name: ibnetdiscover could not dump it"
    failed=$((failed + 1))
  elif [ "$(counts "$text")" = "$(counts "$scratch/dump")" ]; then
    echo "$name: $(counts "$scratch/dump" | tr '\n' ',' | sed 's/,$//; s/,/, /g')"
    passed=$((passed + 1))
  else
    echo "$name: the netlist reads as $(counts "$text" | tr '\n' ' ')"
    echo "$name: its dump reads as $(counts "$scratch/dump" | tr '\n' ' ')"
    failed=$((failed + 1))
  fi
done
echo "fabric: $passed passed, $failed failed"
[ "$failed" = 0 ]
