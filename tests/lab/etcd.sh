#!/usr/bin/env bash
# Three controllers of one lab, whose store is an etcd cluster of three: their groups, a takeover, clients that use
# another controller, and invalid records. tests/faults has all other faults.
#   tests/lab/etcd.sh PATH-OF-BANDWISE
# Prints a line that starts with SKIP if that is unavailable. The last line has the counts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bandwise=$(realpath "${1:?the path of the bandwise program}")

what=etcd
. "$here/made.sh"
packages etcd || skip "$cause"

lab=e$$
declare -A pids=()
kill_all() { # NAME …
  local name
  for name in "$@"; do
    [ -n "${pids[$name]:-}" ] || continue
    { kill -CONT "${pids[$name]}"; kill -9 "${pids[$name]}"; wait "${pids[$name]}"; } 2>/dev/null || true
    unset "pids[$name]"
  done
}
finish() {
  # A second signal or a closed pipe must not interrupt this.
  trap '' HUP INT PIPE TERM
  kill_all "${!pids[@]}"
  "$bandwise" lab down --force --name "$lab" >/dev/null 2>&1 || true
  rm -rf "$scratch"
}
trap finish EXIT
made "$lab" 6
cd "$scratch"
cp "$here/../../docs/examples/controller/table.csv" .
controllers() { python3 "$here/controllers.py" "$@"; }
read -r -a ports <<<"$(controllers free-ports 6)"
etcds="e0=http://127.0.0.1:${ports[0]},e1=http://127.0.0.1:${ports[1]},e2=http://127.0.0.1:${ports[2]}"
urls() { printf 'http://127.0.0.1:%s ' "${ports[@]:3:3}"; }

start_etcd() { # NUMBER
  local at=$1 peer="http://127.0.0.1:${ports[$1]}" client="http://127.0.0.1:${ports[$(($1 + 3))]}"
  etcd --name "e$at" --data-dir "e$at" --listen-peer-urls "$peer" --initial-advertise-peer-urls "$peer" \
    --listen-client-urls "$client" --advertise-client-urls "$client" --initial-cluster "$etcds" \
    --logger zap >>"etcd$at.log" 2>&1 &
  pids[e$at]=$!
}
write_settings() { # NAME PORTS-OF-ETCD…
  local name=$1 list
  shift
  list=$(printf '"http://127.0.0.1:%s", ' "$@")
  cat >"$name.toml" <<SETTINGS
lab = "$lab"
table = "table.csv"
listen = "unix:$name.socket"
recording = "$name.jsonl"
[times]
lease = "120 s"
check-interval = "500 ms"
max-retry = "500 ms"
[cluster]
etcd = [${list%, }]
instance = "$name"
[cluster.groups]
a = ["* to h1", "* to h2"]
b = ["* to h3", "* to h4"]
c = ["*"]
SETTINGS
}
start_controller() { # NAME
  "$bandwise" saba controller --config "$1.toml" >>"$1.log" 2>&1 &
  pids[$1]=$!
}
# Waits until the command prints the given text.
wait_until_prints() { # OUTPUT COMMAND …
  local wanted=$1 output=
  shift
  for _ in $(seq 300); do
    output=$("$@" 2>/dev/null) || true
    [ "$output" != "$wanted" ] || return 0
    sleep 0.1
  done
  echo "  it is: $output" && echo "  wanted: $wanted" && return 1
}
# Waits until the groups match the pattern.
wait_for_groups() { # PATTERN
  local output=
  for _ in $(seq 150); do
    output=$(groups)
    # shellcheck disable=SC2053
    [[ "$output" != $1 ]] || return 0
    sleep 0.1
  done
  echo "  groups: $output" && return 1
}
groups() { controllers groups a.socket b.socket c.socket; }

each_of_three_owns_a_group() {
  local at
  for at in 0 1 2; do start_etcd $at; done
  for at in $(seq 100); do
    etcdctl --endpoints "$(urls | sed 's/ $//; s/ /,/g')" endpoint health >/dev/null 2>&1 && break
    sleep 0.1
  done
  write_settings a "${ports[@]:3:3}" && write_settings b "${ports[4]}" "${ports[3]}" "${ports[5]}" && write_settings c "${ports[5]}" "${ports[3]}" "${ports[4]}"
  start_controller a && start_controller b && start_controller c && wait_until_prints "a b c" groups
}
latency_of_registrations_is_printed() { controllers latency a.socket b.socket c.socket; }
other_table_or_unknown_name_is_refused() {
  sed 's/^lab/seed = 7\nlab/; s/"a"/"b"/; s/a.socket/d.socket/; s/a.jsonl/d.jsonl/' a.toml >d.toml
  ! "$bandwise" saba controller --config d.toml >output 2>&1 && grep -q "have another sensitivity table" output &&
    sed -i 's/"b"/"nobody"/' d.toml && ! "$bandwise" saba controller --config d.toml >output 2>&1 && grep -q "one of a, b, c" output
}
group_of_a_killed_controller_is_taken_over() {
  # The shell reports there that it was killed.
  { controllers takeover "$lab" "${pids[a]}" b.socket c.socket && wait "${pids[a]}" || true; } 2>output
  unset "pids[a]"
  wait_for_groups "dead *a*"
}
restarted_controller_owns_its_group_again() { start_controller a && wait_until_prints "a b c" groups; }
# An unmodified program registers with the first controller that responds, and deregisters at another.
client_fails_over_to_another_controller() {
  local well=1
  mkfifo go
  "$bandwise" saba run --app LR --controller "unix:$scratch/dead.socket,unix:$scratch/a.socket,unix:$scratch/b.socket" -- cat go >run.log 2>&1 &
  pids[run]=$!
  wait_until_prints 1 controllers applications b.socket && kill_all a && echo end >go && wait "${pids[run]}" && unset "pids[run]" &&
    wait_until_prints 0 controllers applications b.socket || { well=; cat run.log; }
  start_controller a && wait_until_prints "a b c" groups && [ -n "$well" ]
}
by_hand() { etcdctl --endpoints "http://127.0.0.1:${ports[3]}" "$@"; }
invalid_records_are_ignored_and_logged() {
  local name bad=/bandwise/record/connection/00000000000000099999 output=
  controllers one a.socket
  name=$(by_hand get --prefix --keys-only --limit 1 /bandwise/record/connection/ | head -n 1)
  output=$(by_hand get --print-value-only "$name" | sed 's/"connection":\[[0-9]*/"connection":[99999/; s/"level":[0-9]*/"level":99/')
  [[ "$output" == *'"level":99'* ]] && by_hand put "$bad" "$output" >/dev/null || return 1
  for name in a b c; do
    wait_until_prints 1 grep -c "ignored invalid record in the store.*99999" $name.log && wait_until_prints 1 controllers applications $name.socket || return 1
  done
  # The controllers report a record that is invalid until it is gone.
  by_hand put "$bad" "{" >/dev/null && wait_until_prints 1 grep -c "99999.*not written by a controller" a.log && by_hand del "$bad" >/dev/null && wait_until_prints "a b c" groups &&
    by_hand put /bandwise/record/quota/1 1 >/dev/null && wait_until_prints 1 grep -c "quota/1.*not written by a controller" a.log &&
    by_hand del /bandwise/record/quota/1 >/dev/null && wait_until_prints "a b c" groups || return 1
  # So are values of the controllers themselves.
  for name in head holder/a; do
    by_hand put "/bandwise/$name" "{" >/dev/null && wait_until_prints 1 grep -c "$name.*not written by a controller" b.log &&
      by_hand del "/bandwise/$name" >/dev/null && wait_until_prints "a b c" groups && controllers one a.socket || return 1
  done
}

count each_of_three_owns_a_group latency_of_registrations_is_printed other_table_or_unknown_name_is_refused \
  group_of_a_killed_controller_is_taken_over restarted_controller_owns_its_group_again \
  client_fails_over_to_another_controller invalid_records_are_ignored_and_logged
