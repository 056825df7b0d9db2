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
  # A second signal or a closed pipe must not interrupt this.
  trap '' HUP INT PIPE TERM
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
wait_until_prints() { # OUTPUT COMMAND …
  local wanted=$1 output=
  shift
  for _ in $(seq 300); do
    output=$("$@" 2>&1 | tr '\n' ' ' | sed 's/ $//') || true
    [ "$output" != "$wanted" ] || return 0
    sleep 0.1
  done
  echo "  it is: $output" && echo "  wanted: $wanted" && return 1
}

dry_run_writes_nothing() {
  "$bandwise" saba controller --config "$scratch/controller.toml" --dry-run >"$scratch/output" &&
    grep -q "0 applications, 0 connections" "$scratch/output" && [ ! -e "$scratch/store" ]
}
weights_survive_a_killed_controller() {
  start && client two-applications >"$scratch/client" &&
    [ -n "$(rates)" ] && rates >"$scratch/rates" && ! grep -q '=8Kbit' "$scratch/rates" &&
    [ "$(wc -l <"$scratch/rates")" = 2 ] && killed && sleep 0.5 && [ "$(rates)" = "$(cat "$scratch/rates")" ]
}
restart_restores_the_state() {
  start && client keep "$(cat "$scratch/client")" && [ "$(rates)" = "$(cat "$scratch/rates")" ] &&
    "$bandwise" saba status --config "$scratch/controller.toml" | finds "LR"
}
overwritten_port_is_written_again() {
  "$bandwise" lab exec --name "$lab" switch -- tc qdisc del dev h3 root &&
    wait_until_prints "$(tr '\n' ' ' <"$scratch/rates" | sed 's/ $//')" rates && client keep "$(cat "$scratch/client")" &&
    grep -q '"event":"overwritten"' "$scratch/audit.jsonl"
}
drained_ports_are_restored() {
  client drain true && wait_until_prints "$(unshared | tr '\n' ' ' | sed 's/ $//')" rates && client keep "$(cat "$scratch/client")" && client drain false &&
    wait_until_prints "$(tr '\n' ' ' <"$scratch/rates" | sed 's/ $//')" rates
}
expired_lease_removes_the_application() {
  # Longer than a lease, without a renewal.
  wait_until_prints "0 0" client counts && wait_until_prints "0=8Kbit 1=8Kbit" rates
}
invalid_requests_are_refused() { client bad; }
registrations_are_limited() { client many; }
second_controller_on_one_store_is_refused() {
  ! "$bandwise" saba controller --config "$scratch/controller.toml" >"$scratch/output" 2>&1 &&
    grep -q "another program has this store open" "$scratch/output"
}
recreated_lab_is_written_again() {
  # New namespaces of the same names.
  "$bandwise" lab down --name "$lab" >/dev/null && "$bandwise" lab up --name "$lab" --hosts 3 --rate 200Mbit >/dev/null &&
    client two-applications >"$scratch/client" && wait_until_prints "$(tr '\n' ' ' <"$scratch/rates" | sed 's/ $//')" rates
}
ports_are_restored_on_exit() {
  sed 's/^audit/on-exit = "restore"\naudit/' "$scratch/controller.toml" >"$scratch/restore.toml" &&
    mv "$scratch/restore.toml" "$scratch/controller.toml" && start && client keep "$(cat "$scratch/client")" &&
    [ "$(rates)" = "$(cat "$scratch/rates")" ] && kill "$controller" && wait "$controller" && controller= &&
    [ "$(rates)" = "$(unshared)" ] && "$bandwise" lab exec --name "$lab" switch -- tc class show dev h3 | finds 'root rate 200Mbit' &&
    settings store >"$scratch/controller.toml" && start && client keep "$(cat "$scratch/client")" &&
    [ "$(rates)" = "$(cat "$scratch/rates")" ] && kill "$controller" && wait "$controller" && controller=
}
# Printed without a limit, since the machine may be busy.
bench_of_many_connections_runs() {
  "$bandwise" bench --case controller-many --duration '0.2 s' --runs 1 >"$scratch/output" && sed 's/^/  /' "$scratch/output"
}
bench_of_answers_runs() {
  "$bandwise" bench --case controller --duration '1 s' --runs 1 >"$scratch/output" && sed 's/^/  /' "$scratch/output" &&
    grep -q '^read back' "$scratch/output" && ! ip netns list | finds bandwise-bench
}
stops_on_sigterm() {
  kill "$controller" && wait "$controller" && controller= && [ ! -e "$scratch/socket" ]
}
recording_replays() {
  # All recorded inputs, of killed controllers too, and each file separately.
  "$bandwise" saba replay "$scratch"/recording.jsonl.part-* "$scratch/recording.jsonl" >"$scratch/output" &&
    tail -n 1 "$scratch/output" | sed 's/^/  /' && grep -q "all outputs are those of the recording" "$scratch/output" &&
    ! grep "are missing" "$scratch/output" && "$bandwise" saba replay "$scratch/recording.jsonl.part-000003" >/dev/null && grep -q '"event":"written"' "$scratch/audit.jsonl"
}
damaged_store_is_refused() {
  local bytes
  bytes=$(stat -c %s "$scratch/store")
  head -c $((bytes / 2)) "$scratch/store" >"$scratch/half"
  settings half >"$scratch/half.toml"
  ! "$bandwise" saba controller --config "$scratch/half.toml" >"$scratch/output" 2>&1 && grep -q "damaged" "$scratch/output"
}
full_disk_refuses_requests_and_loses_nothing() {
  mkdir "$scratch/small" && mount -t tmpfs -o size=4m tmpfs "$scratch/small" &&
    settings small/store >"$scratch/controller.toml" && start && client full "$scratch/small/ballast"
}
# As the systemd unit runs it: an unprivileged user with one capability.
needs_only_cap_net_admin() {
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
systemd_unit_is_valid() {
  local unit=$scratch/bandwise-controller.service
  command -v systemd-analyze >/dev/null || { echo "SKIP controller: systemd-analyze is not installed, so its unit is not checked" && return; }
  sed "s#/usr/bin/bandwise#$bandwise#" "$here/../../packaging/systemd/bandwise-controller.service" >"$unit" &&
    systemd-analyze verify "$unit" && systemd-analyze security --offline=true --threshold=25 "$unit" >"$scratch/output" 2>&1 &&
    grep -q "^AmbientCapabilities=CAP_NET_ADMIN$" "$unit" && tail -n 1 "$scratch/output" | sed 's/^/  /'
}

checks=(dry_run_writes_nothing weights_survive_a_killed_controller restart_restores_the_state overwritten_port_is_written_again
  drained_ports_are_restored expired_lease_removes_the_application invalid_requests_are_refused registrations_are_limited
  second_controller_on_one_store_is_refused recreated_lab_is_written_again stops_on_sigterm ports_are_restored_on_exit recording_replays
  bench_of_answers_runs bench_of_many_connections_runs damaged_store_is_refused full_disk_refuses_requests_and_loses_nothing
  needs_only_cap_net_admin systemd_unit_is_valid)
count "${checks[@]}"
