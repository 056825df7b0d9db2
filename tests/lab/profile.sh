#!/usr/bin/env bash
# The profiler (`bandwise saba profile`) on the links of a lab: a program that mostly moves data, and one that mostly
# computes. The profiler is killed and resumed; links must be restored at the end. The same with a device of one host,
# and with a script.
#   tests/lab/profile.sh PATH-OF-BANDWISE
# Prints a line that starts with SKIP if that is unavailable. The last line has the counts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bandwise=$(realpath "${1:?the path of the bandwise program}")

what=profile
. "$here/made.sh"

lab=p$$
finish() {
  # A second signal or a closed pipe must not interrupt this.
  trap '' HUP INT PIPE TERM
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
# Prints the slowdown at the smallest share, from the JSON of a profile.
slowdown() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["shares"][0]["slowdown"])' "$1"; }
holds() { python3 -c "import sys; sys.exit(not ($1))"; }

data_bound_program_is_sensitive() {
  profile moving 10000000 0.1 --repeat 2 --json moving.json 2>/dev/null | sed 's/^/  /' && holds "$(slowdown moving.json) > 2"
}
compute_bound_program_is_insensitive() {
  profile computing 60000 0.6 --repeat 2 --json computing.json 2>/dev/null | sed 's/^/  /' &&
    holds "$(slowdown computing.json) < 1.5"
}
links_are_restored() { "$bandwise" lab status --name "$lab" | cmp -s before -; }
killed_campaign_continues() {
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
  # Programs started by the killed profiler use the port until they end.
  while pgrep -f "$here/moves.py $bandwise $lab" >/dev/null; do :; done
  profile killed 1000000 0.1 --repeat 1 --json killed.json >/dev/null 2>&1 &&
    [ "$(wc -l <killed.profile)" = 5 ] && [ "$(head -n "$(wc -l <half)" killed.profile | cmp - half; echo $?)" = 0 ]
}
too_low_rate_is_refused() {
  ! "$bandwise" saba profile --app x --lab "$lab" --at 0.1,50,100 -- true >output 2>&1 && grep -q "0.1% is a link of" output &&
    [ ! -e x.profile ]
}
profiles_are_in_the_table() { [ "$(grep -c '^name = ' table.toml)" = 3 ]; }

# Profiles a program on a host of the lab that sends through the host's device.
on_h1() { "$bandwise" lab exec --name "$lab" h1 -- "$@"; }
profile_device() { # NAME [FLAG]... -- COMMAND
  local name=$1
  shift
  on_h1 "$bandwise" saba profile --app "$name" --device eth0 --rate 200Mbit --at 10,30,100 --within 100 "$@"
}
qdiscs() { on_h1 tc qdisc show dev eth0; }
# Starts a profile of a program that waits; `pids` has the process ids of profiler and program.
begin_profile() { # NAME
  rm -f pids
  profile_device "$1" -- sh -c 'echo $PPID $$ >pids.new && mv pids.new pids && exec sleep 60' >/dev/null 2>&1 &
  profiler=$!
  until [ -s pids ]; do kill -0 $profiler 2>/dev/null || return 1; done
}
port_of_a_controller_is_refused() {
  on_h1 tc class show dev eth0 >shared && ! profile_device shared -- true 2>output && grep -q "has a configuration of another program" output &&
    on_h1 tc class show dev eth0 | cmp -s shared -
}
device_is_limited_and_restored() {
  # Removes the lab's qdiscs; from here on the host is not configured.
  on_h1 tc qdisc del dev eth0 root && qdiscs >qdiscs && ! grep -q htb qdiscs &&
    profile_device device --repeat 2 --table table.toml --json device.json \
      -- python3 "$here/moves.py" "$bandwise" "$lab" 10000000 0.1 2>/dev/null | sed 's/^/  /' &&
    holds "$(slowdown device.json) > 2" && qdiscs | cmp -s qdiscs - && grep -q '"device"' table.toml
}
foreign_configuration_is_refused() {
  on_h1 tc qdisc add dev eth0 root handle 7: htb && ! profile_device theirs -- true 2>output && qdiscs | finds 'htb 7:' &&
    grep -q "qdisc htb 7:" output && on_h1 tc qdisc del dev eth0 root && qdiscs | cmp -s qdiscs -
}
second_profiler_is_refused_and_interrupt_restores() {
  local code=0
  begin_profile first && qdiscs | finds 'htb 5aba:' && ! profile_device second -- true 2>output && grep -q "by another" output || return 1
  kill -INT "$(cut -d ' ' -f 1 pids)"
  wait $profiler || code=$?
  [ $code = 130 ] && qdiscs | cmp -s qdiscs -
}
next_run_restores_after_a_kill() {
  begin_profile killed-on-h1 || return 1
  # The profiler first, which would otherwise restore the link.
  kill -9 $(cat pids)
  wait $profiler || true
  qdiscs | finds 'htb 5aba:' && profile_device next --warmup 0 --repeat 1 -- true >/dev/null 2>output || true
  grep -q "left limited" output && qdiscs | cmp -s qdiscs -
}
script_limits_several_hosts() {
  printf '#!/bin/sh\nexec %s lab exec --name %s "$1" -- sh -c "$2"\n' "$bandwise" "$lab" >ssh && chmod +x ssh &&
    "$bandwise" lab exec --name "$lab" h2 -- tc qdisc del dev eth0 root
  limited() { # SHARE
    HOSTS="h1 h2" DEVICE=eth0 RATE_MBIT=200 SSH=./ssh BANDWISE_SHARE=$1 "$here/../../docs/examples/limit-hosts.sh"
  }
  limited 0.1 && limited 0.25 && on_h1 tc class show dev eth0 | finds 'rate 50Mbit' &&
    "$bandwise" lab exec --name "$lab" h2 -- tc class show dev eth0 | finds 'rate 50Mbit' && limited 1 && limited 1 &&
    qdiscs | cmp -s qdiscs -
}

checks=(data_bound_program_is_sensitive compute_bound_program_is_insensitive links_are_restored killed_campaign_continues
  links_are_restored too_low_rate_is_refused profiles_are_in_the_table port_of_a_controller_is_refused
  device_is_limited_and_restored foreign_configuration_is_refused
  second_profiler_is_refused_and_interrupt_restores next_run_restores_after_a_kill
  script_limits_several_hosts)
count "${checks[@]}"
