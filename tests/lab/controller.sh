#!/usr/bin/env bash
# The controller (`bandwise saba controller`) on a lab: weights at ports when applications come and go, after a kill -9,
# after leases expire, when drained; a full disk, a damaged store, a port emptied by another program.
#   tests/lab/controller.sh PATH-OF-BANDWISE
# Prints a line that starts with SKIP if that is unavailable. The last line has the counts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bandwise=$(realpath "${1:?the path of the bandwise program}")

what=controller
. "$here/made.sh"

lab=c$$
controller=
killed() { { kill -9 "$controller" && wait "$controller" || true; } 2>/dev/null; }
finish() {
  [ -z "$controller" ] || killed
  "$bandwise" lab down --force --name "$lab" >/dev/null 2>&1 || true
  mountpoint -q "$scratch/small" && umount "$scratch/small" || true
  rm -rf "$scratch"
}
trap finish EXIT
made "$lab" 3

cp "$here/../../docs/examples/controller/table.csv" "$scratch"
settings() { # STORE
  cat <<SETTINGS
lab = "$lab"
table = "table.csv"
store = "$1"
listen = "unix:socket"
audit = "audit.jsonl"
recording = "recording.jsonl"
recording-size = "64 KiB"
recording-files = 100000
[times]
lease = "10 s"
check-interval = "200 ms"
max-retry = "500 ms"
SETTINGS
}
settings store >"$scratch/controller.toml"

start() {
  # Left by a failed check.
  [ -z "$controller" ] || killed
  "$bandwise" saba controller --config "$scratch/controller.toml" >>"$scratch/log" 2>&1 &
  controller=$!
  for _ in $(seq 100); do
    "$bandwise" saba status --config "$scratch/controller.toml" >/dev/null 2>&1 && return
    kill -0 $controller 2>/dev/null || break
    sleep 0.1
  done
  tail -n 3 "$scratch/log"
  return 1
}
client() { python3 "$here/client.py" "$scratch/socket" "$@"; }
# Rates of the classes of the port to h3, as `tc` shows them.
rates() { "$bandwise" lab exec --name "$lab" switch -- tc class show dev h3 | sed -n 's/^class htb 5aba:1\([01]\) .* rate \([^ ]*\) .*/\1=\2/p' | sort; }
# The same without weights: HTB's minimum, on a link that keeps its rate.
unshared() { printf '0=8Kbit\n1=8Kbit\n'; }
# Waits until the command prints the given text.
becomes() { # SAID COMMAND …
  local wanted=$1 said=
  shift
  for _ in $(seq 300); do
    said=$("$@" 2>&1 | tr '\n' ' ' | sed 's/ $//') || true
    [ "$said" != "$wanted" ] || return 0
    sleep 0.1
  done
  echo "  it is: $said" && echo "  wanted: $wanted" && return 1
}

says_what_it_would_do() {
  "$bandwise" saba controller --config "$scratch/controller.toml" --dry-run >"$scratch/said" &&
    grep -q "0 applications, 0 connections" "$scratch/said" && [ ! -e "$scratch/store" ]
}
weights_come_and_stay() {
  start && client two-applications >"$scratch/client" &&
    [ -n "$(rates)" ] && rates >"$scratch/rates" && ! grep -q '=8Kbit' "$scratch/rates" &&
    [ "$(wc -l <"$scratch/rates")" = 2 ] && killed && sleep 0.5 && [ "$(rates)" = "$(cat "$scratch/rates")" ]
}
started_again_it_is_the_same() {
  start && client keep "$(cat "$scratch/client")" && [ "$(rates)" = "$(cat "$scratch/rates")" ] &&
    "$bandwise" saba status --config "$scratch/controller.toml" | finds "LR"
}
an_emptied_port_gets_its_weights_again() {
  "$bandwise" lab exec --name "$lab" switch -- tc qdisc del dev h3 root &&
    becomes "$(tr '\n' ' ' <"$scratch/rates" | sed 's/ $//')" rates && client keep "$(cat "$scratch/client")" &&
    grep -q '"event":"overwritten"' "$scratch/audit.jsonl"
}
drained_ports_are_as_found() {
  client drain true && becomes "$(unshared | tr '\n' ' ' | sed 's/ $//')" rates && client keep "$(cat "$scratch/client")" && client drain false &&
    becomes "$(tr '\n' ' ' <"$scratch/rates" | sed 's/ $//')" rates
}
who_is_silent_is_dropped() {
  # Longer than a lease, without a renewal.
  becomes "0 0" client counts && becomes "0=8Kbit 1=8Kbit" rates
}
bad_requests_are_refused() { client bad; }
ten_thousand_registrations_are_limited() { client many; }
a_second_controller_is_refused() {
  ! "$bandwise" saba controller --config "$scratch/controller.toml" >"$scratch/said" 2>&1 &&
    grep -q "another program has this store open" "$scratch/said"
}
a_lab_made_anew_is_written_anew() {
  # New namespaces of the same names.
  "$bandwise" lab down --name "$lab" >/dev/null && "$bandwise" lab up --name "$lab" --hosts 3 --rate 200Mbit >/dev/null &&
    client two-applications >"$scratch/client" && becomes "$(tr '\n' ' ' <"$scratch/rates" | sed 's/ $//')" rates
}
restores_when_asked() {
  sed 's/^audit/on-exit = "restore"\naudit/' "$scratch/controller.toml" >"$scratch/restore.toml" &&
    mv "$scratch/restore.toml" "$scratch/controller.toml" && start && client keep "$(cat "$scratch/client")" &&
    [ "$(rates)" = "$(cat "$scratch/rates")" ] && kill "$controller" && wait "$controller" && controller= &&
    [ "$(rates)" = "$(unshared)" ] && "$bandwise" lab exec --name "$lab" switch -- tc class show dev h3 | finds 'root rate 200Mbit' &&
    settings store >"$scratch/controller.toml" && start && client keep "$(cat "$scratch/client")" &&
    [ "$(rates)" = "$(cat "$scratch/rates")" ] && kill "$controller" && wait "$controller" && controller=
}
# Printed without a limit, since the machine may be busy.
holds_a_hundred_thousand() {
  "$bandwise" bench --case controller-many --duration '0.2 s' --runs 1 >"$scratch/said" && sed 's/^/  /' "$scratch/said"
}
says_how_long_it_takes() {
  "$bandwise" bench --case controller --duration '1 s' --runs 1 >"$scratch/said" && sed 's/^/  /' "$scratch/said" &&
    grep -q '^read back' "$scratch/said" && ! ip netns list | finds bandwise-bench
}
stops_when_asked() {
  kill "$controller" && wait "$controller" && controller= && [ ! -e "$scratch/socket" ]
}
replays_the_same() {
  # All recorded inputs, of killed controllers too, and each file separately.
  "$bandwise" saba replay "$scratch"/recording.jsonl.part-* "$scratch/recording.jsonl" >"$scratch/said" &&
    tail -n 1 "$scratch/said" | sed 's/^/  /' && grep -q "all outputs are those of the recording" "$scratch/said" &&
    ! grep "are missing" "$scratch/said" && "$bandwise" saba replay "$scratch/recording.jsonl.part-000003" >/dev/null && grep -q '"event":"written"' "$scratch/audit.jsonl"
}
a_damaged_store_is_refused() {
  local bytes
  bytes=$(stat -c %s "$scratch/store")
  head -c $((bytes / 2)) "$scratch/store" >"$scratch/half"
  settings half >"$scratch/half.toml"
  ! "$bandwise" saba controller --config "$scratch/half.toml" >"$scratch/said" 2>&1 && grep -q "damaged" "$scratch/said"
}
a_full_disk_refuses_and_loses_nothing() {
  mkdir "$scratch/small" && mount -t tmpfs -o size=4m tmpfs "$scratch/small" &&
    settings small/store >"$scratch/controller.toml" && start && client full "$scratch/small/ballast"
}
# As the systemd unit runs it: an unprivileged user with one capability.
needs_cap_net_admin_alone() {
  local own one=-all,+net_admin
  command -v setpriv >/dev/null || { echo "SKIP controller: setpriv is not installed, so it is not run without rights" && return; }
  [ -z "$controller" ] || killed
  own=$(mktemp -d) && cp "$scratch/table.csv" "$own" && cat >"$own/controller.toml" <<SETTINGS
table = "table.csv"
store = "store"
listen = "unix:socket"
[[port]]
name = "switch to h3"
from = "h1"
to = "h3"
device = "h3"
rate = "200Mbit"
SETTINGS
  chown -R 65534:65534 "$own"
  "$bandwise" lab exec --name "$lab" switch -- setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs \
    --inh-caps=$one --ambient-caps=$one --bounding-set=$one "$bandwise" saba controller --config "$own/controller.toml" >>"$scratch/log" 2>&1 &
  controller=$!
  local status=1
  for _ in $(seq 100); do
    [ ! -S "$own/socket" ] || { python3 "$here/client.py" "$own/socket" one-application && status=0 && break; }
    kill -0 $controller 2>/dev/null || break
    sleep 0.1
  done
  [ -n "$(rates)" ] || status=1
  grep -q '^CapEff:\s*0000000000001000$' "/proc/$controller/status" || status=1
  killed
  controller=
  rm -rf "$own"
  return $status
}
the_unit_of_systemd_is_well_formed() {
  local unit=$scratch/bandwise-controller.service
  command -v systemd-analyze >/dev/null || { echo "SKIP controller: systemd-analyze is not installed, so its unit is not checked" && return; }
  sed "s#/usr/bin/bandwise#$bandwise#" "$here/../../packaging/systemd/bandwise-controller.service" >"$unit" &&
    systemd-analyze verify "$unit" && systemd-analyze security --offline=true --threshold=25 "$unit" >"$scratch/said" 2>&1 &&
    grep -q "^AmbientCapabilities=CAP_NET_ADMIN$" "$unit" && tail -n 1 "$scratch/said" | sed 's/^/  /'
}

checks=(says_what_it_would_do weights_come_and_stay started_again_it_is_the_same an_emptied_port_gets_its_weights_again
  drained_ports_are_as_found who_is_silent_is_dropped bad_requests_are_refused ten_thousand_registrations_are_limited
  a_second_controller_is_refused a_lab_made_anew_is_written_anew stops_when_asked restores_when_asked replays_the_same
  says_how_long_it_takes holds_a_hundred_thousand a_damaged_store_is_refused a_full_disk_refuses_and_loses_nothing
  needs_cap_net_admin_alone the_unit_of_systemd_is_well_formed)
count "${checks[@]}"
