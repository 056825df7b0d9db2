#!/usr/bin/env bash
# Programs under `bandwise saba run` on a lab: marks of their packets, the controller's view, and their end; and the
# preloaded library's cost per connection.
#   tests/lab/preload.sh PATH-OF-BANDWISE PATH-OF-THE-LIBRARY
# Prints a line that starts with SKIP if that is unavailable. The last line has the counts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bandwise=$(realpath "${1:?the path of the bandwise program}")
library=$(realpath "${2:?the path of libsaba_preload.so}")

what=preload
. "$here/made.sh"

lab=r$$
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
for i in 1 2 3; do
  "$bandwise" lab exec --name "$lab" "h$i" -- ip address add "fd00::$i/64" dev eth0 nodad
done
cp "$here/../../docs/examples/controller/table.csv" "$scratch"
cat >"$scratch/controller.toml" <<SETTINGS
lab = "$lab"
table = "table.csv"
store = "store"
listen = "unix:socket"
[times]
lease = "3 s"
# The lab assigned the IPv4 addresses.
[hosts]
h1 = ["fd00::1"]
h2 = ["fd00::2"]
h3 = ["fd00::3"]
SETTINGS
"$bandwise" saba controller --config "$scratch/controller.toml" >>"$scratch/log" 2>&1 &
controller=$!
until "$bandwise" saba status --config "$scratch/controller.toml" >/dev/null 2>&1; do
  kill -0 $controller || { cat "$scratch/log" && exit 1; }
done

on() { "$bandwise" lab exec --name "$lab" "$@"; }
# Sets `line` to a command that runs programs on a host as an application, as a single process in the background.
as() { # HOST APP
  line=("$bandwise" lab exec --name "$lab" "$1" -- "$bandwise" saba run --app "$2" --controller "unix:$scratch/socket"
    --preload "$library" --)
}
run() { # HOST APP COMMAND …
  as "$1" "$2"
  shift 2
  "${line[@]}" "$@"
}
counts() {
  "$bandwise" saba status --config "$scratch/controller.toml" --json |
    python3 -c 'import json, sys; s = json.load(sys.stdin); print(len(s["applications"]), sum(a["connections"] for a in s["applications"]))'
}
wait_for_counts() { # COUNTS
  local output=
  for _ in $(seq 100); do
    output=$(counts)
    [ "$output" != "$1" ] || return 0
    sleep 0.1
  done
  echo "  applications and connections are: $output, wanted: $1" && return 1
}

# IPv4, IPv6, and IPv4 on a dual-stack socket, marked at both ends.
marks_are_on_the_wire() { python3 "$here/marks.py" "$bandwise" "$lab" "$scratch" "$library"; }
exit_code_is_the_programs() {
  local code=0
  run h1 LR sh -c 'exit 7' 2>"$scratch/output" || code=$?
  [ $code = 7 ] && grep -q "LR has the mark level=" "$scratch/output" || return 1
  code=0 && run h1 LR sh -c 'kill -KILL $$' 2>/dev/null || code=$?
  [ $code = 137 ] || return 1
  code=0 && run h1 none true 2>"$scratch/output" || code=$?
  [ $code = 1 ] && grep -q 'no application called "none"' "$scratch/output" && wait_for_counts "0 0"
}
signals_are_forwarded() {
  as h1 LR
  "${line[@]}" sh -c 'trap "echo told; exit 9" TERM; echo ready; while :; do sleep 0.05; done' >"$scratch/out" 2>/dev/null &
  local runs=$! code=0
  until grep -q ready "$scratch/out"; do kill -0 $runs || return 1; done
  # `lab exec` replaces itself by `ip`, which replaces itself by the command.
  kill -TERM $runs && { wait $runs || code=$?; }
  [ $code = 9 ] && grep -q told "$scratch/out" && wait_for_counts "0 0"
}
# The lease expires; the command continues.
killed_program_is_deregistered() {
  mkfifo "$scratch/line" && exec 9<>"$scratch/line"
  as h1 LR
  "${line[@]}" sh -c 'echo ready $$; read -r line' >"$scratch/out" 2>/dev/null <&9 &
  local runs=$!
  until grep -q ready "$scratch/out"; do kill -0 $runs || return 1; done
  local command
  command=$(cut -d ' ' -f 2 "$scratch/out")
  wait_for_counts "1 0" && kill -9 $runs && { wait $runs 2>/dev/null || true; } && wait_for_counts "0 0" && kill -0 "$command"
  local status=$?
  kill "$command" || true
  exec 9>&-
  return $status
}
runs_without_a_controller() {
  on h1 -- "$bandwise" saba run --app LR --controller "unix:$scratch/nobody" --preload "$library" -- sh -c 'echo runs' \
    >"$scratch/out" 2>"$scratch/output" && grep -q runs "$scratch/out" && grep -q "no controller answers" "$scratch/output"
}
cost_of_a_connection_is_printed() {
  command -v cc >/dev/null || { echo "SKIP preload: there is no cc, so the cost of a connection is not measured" && return; }
  cc -O2 -o "$scratch/cost" "$here/cost.c" && python3 "$here/cost.py" "$bandwise" "$lab" "$scratch" "$library"
}

count marks_are_on_the_wire exit_code_is_the_programs signals_are_forwarded killed_program_is_deregistered \
  runs_without_a_controller cost_of_a_connection_is_printed
