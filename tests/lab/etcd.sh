#!/usr/bin/env bash
# Three controllers of one lab, whose store is an etcd cluster of three, with a hundred applications that come and go.
# One controller is killed and restarted, the etcd leader is killed, and one controller is partitioned. In the end,
# ports are as a single controller would write them.
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
killed() { # NAME …
  local name
  for name in "$@"; do
    [ -n "${pids[$name]:-}" ] || continue
    { kill -CONT "${pids[$name]}"; kill -9 "${pids[$name]}"; wait "${pids[$name]}"; } 2>/dev/null || true
    unset "pids[$name]"
  done
}
finish() {
  killed "${!pids[@]}"
  "$bandwise" lab down --force --name "$lab" >/dev/null 2>&1 || true
  rm -rf "$scratch"
}
trap finish EXIT
made "$lab" 6
cd "$scratch"
cp "$here/../../docs/examples/controller/table.csv" .
several() { python3 "$here/several.py" "$@"; }
read -r -a ports <<<"$(several free-ports 9)"
etcds="e0=http://127.0.0.1:${ports[0]},e1=http://127.0.0.1:${ports[1]},e2=http://127.0.0.1:${ports[2]}"
urls() { printf 'http://127.0.0.1:%s ' "${ports[@]:3:3}"; }

etcd_starts() { # NUMBER new|existing
  local at=$1 peer="http://127.0.0.1:${ports[$1]}" client="http://127.0.0.1:${ports[$(($1 + 3))]}"
  etcd --name "e$at" --data-dir "e$at" --listen-peer-urls "$peer" --initial-advertise-peer-urls "$peer" \
    --listen-client-urls "$client" --advertise-client-urls "$client" --initial-cluster "$etcds" \
    --initial-cluster-state "$2" --logger zap >>"etcd$at.log" 2>&1 9>&- &
  pids[e$at]=$!
}
# Starts a controller, with the etcds or with relays to them. It does not keep the load's input (9) open.
settings() { # NAME PORTS-OF-ETCD…
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
starts() { # NAME
  "$bandwise" saba controller --config "$1.toml" >>"$1.log" 2>&1 9>&- &
  pids[$1]=$!
}
# Waits until the command prints the given text.
becomes() { # SAID COMMAND …
  local wanted=$1 said=
  shift
  for _ in $(seq 300); do
    said=$("$@" 2>/dev/null) || true
    [ "$said" != "$wanted" ] || return 0
    sleep 0.1
  done
  echo "  it is: $said" && echo "  wanted: $wanted" && return 1
}
# Waits until the groups match the pattern.
is_like() { # PATTERN
  local said=
  for _ in $(seq 150); do
    said=$(groups)
    # shellcheck disable=SC2053
    [[ "$said" != $1 ]] || return 0
    sleep 0.1
  done
  echo "  groups: $said" && return 1
}
groups() { several groups a.socket b.socket c.socket; }
# Rates by class of all ports of the switch and the hosts, as `tc` shows them.
all_rates() {
  local n
  for n in 1 2 3 4 5 6; do
    ip netns exec "bandwise-$lab-switch" tc class show dev "h$n" | sed -n "s/^class htb \(5aba:[0-9a-f]*\) .* rate \([^ ]*\) .*/h$n \1 \2/p"
    ip netns exec "bandwise-$lab-h$n" tc class show dev eth0 2>/dev/null | sed -n "s/^class htb \(5aba:[0-9a-f]*\) .* rate \([^ ]*\) .*/from h$n \1 \2/p"
  done | sort
}

three_have_a_group_each() {
  local at
  for at in 0 1 2; do etcd_starts $at new; done
  for at in $(seq 100); do
    etcdctl --endpoints "$(urls | sed 's/ $//; s/ /,/g')" endpoint health >/dev/null 2>&1 && break
    sleep 0.1
  done
  # The third controller reaches etcd through relays that can be stopped.
  for at in 0 1 2; do
    python3 "$here/relay.py" "${ports[$((at + 6))]}" "${ports[$((at + 3))]}" 2>relay.log &
    pids[r$at]=$!
    # The relay listens when it accepts a connection.
    for _ in $(seq 100); do (: >"/dev/tcp/127.0.0.1/${ports[$((at + 6))]}") 2>/dev/null && break; sleep 0.1; done
  done
  settings a "${ports[@]:3:3}" && settings b "${ports[4]}" "${ports[3]}" "${ports[5]}" && settings c "${ports[@]:6:3}"
  starts a && starts b && starts c && becomes "a b c" groups
}
connections_are_answered_soon() { several latency a.socket b.socket c.socket; }
who_goes_by_something_else_is_refused() {
  sed 's/^lab/seed = 7\nlab/; s/"a"/"b"/; s/a.socket/d.socket/; s/a.jsonl/d.jsonl/' a.toml >d.toml
  ! "$bandwise" saba controller --config d.toml >said 2>&1 && grep -q "have another sensitivity table" said &&
    sed -i 's/"b"/"nobody"/' d.toml && ! "$bandwise" saba controller --config d.toml >said 2>&1 && grep -q "one of a, b, c" said
}
one_that_dies_is_taken_over() {
  # The shell reports there that it was killed.
  { several takeover "$lab" "${pids[a]}" b.socket c.socket && wait "${pids[a]}" || true; } 2>said
  unset "pids[a]"
  is_like "dead *a*"
}
and_has_its_ports_again_when_it_is_back() { starts a && becomes "a b c" groups; }
# An unmodified program registers with the first controller that responds, and deregisters at another.
a_program_goes_on_with_another() {
  local well=1
  mkfifo go
  "$bandwise" saba run --app LR --controller "unix:$scratch/dead.socket,unix:$scratch/a.socket,unix:$scratch/b.socket" -- cat go >run.log 2>&1 &
  pids[run]=$!
  becomes 1 several applications b.socket && killed a && echo end >go && wait "${pids[run]}" && unset "pids[run]" &&
    becomes 0 several applications b.socket || { well=; cat run.log; }
  starts a && becomes "a b c" groups && [ -n "$well" ]
}
who_says_goodbye_is_taken_over_at_once() {
  kill "${pids[b]}" && wait "${pids[b]}" && unset "pids[b]" && is_like "@(*b* dead *|* dead *b*)" &&
    starts b && becomes "a b c" groups
}
by_hand() { etcdctl --endpoints "http://127.0.0.1:${ports[3]}" "$@"; }
what_can_not_be_and_is_written_by_hand_is_passed_over() {
  local name bad=/bandwise/record/connection/00000000000000099999 said=
  several one a.socket
  name=$(by_hand get --prefix --keys-only --limit 1 /bandwise/record/connection/ | head -n 1)
  said=$(by_hand get --print-value-only "$name" | sed 's/"connection":\[[0-9]*/"connection":[99999/; s/"level":[0-9]*/"level":99/')
  [[ "$said" == *'"level":99'* ]] && by_hand put "$bad" "$said" >/dev/null || return 1
  for name in a b c; do
    becomes 1 grep -c "ignored invalid record in the store.*99999" $name.log && becomes 1 several applications $name.socket || return 1
  done
  # The controllers report a record that is invalid until it is gone.
  by_hand put "$bad" "{" >/dev/null && becomes 1 grep -c "99999.*not written by a controller" a.log && by_hand del "$bad" >/dev/null && becomes "a b c" groups
}
all_that_is_taken_away_by_hand_is_gone() {
  local name
  by_hand del --prefix /bandwise/ >/dev/null
  for name in a b c; do becomes 0 several applications $name.socket || return 1; done
  becomes "a b c" groups && several latency a.socket b.socket c.socket
}
a_hundred_applications_come_and_go() {
  mkfifo end && { several load there.json a.socket b.socket c.socket <end >load.said 2>load.log & } && pids[load]=$! &&
    exec 9>end && sleep 3 && kill -0 "${pids[load]}"
}
while_a_controller_is_killed_and_comes_back() {
  killed a && sleep 6 && kill -0 "${pids[load]}" && starts a && becomes "a b c" groups
}
and_the_leader_of_the_etcds() {
  local at leader=
  for at in 0 1 2; do
    etcdctl --endpoints "http://127.0.0.1:${ports[$((at + 3))]}" endpoint status | finds ', true,' && leader=$at
  done
  [ -n "$leader" ] && killed "e$leader" && sleep 6 && kill -0 "${pids[load]}" && becomes "a b c" groups &&
    etcd_starts "$leader" existing && sleep 1
}
and_one_is_cut_off() {
  local well=1
  kill -STOP "${pids[r0]}" "${pids[r1]}" "${pids[r2]}"
  # By then it knows that others have its ports, and takes none.
  becomes "none" several groups c.socket && is_like "*c* none" && sleep 2 && kill -0 "${pids[load]}" || well=
  kill -CONT "${pids[r0]}" "${pids[r1]}" "${pids[r2]}" && becomes "a b c" groups && [ -n "$well" ]
}
all_know_what_clients_know() {
  exec 9>&-
  wait "${pids[load]}" || { tail -n 5 load.log; return 1; }
  unset "pids[load]"
  cat load.said
  # The controller that responded knows the change; the others receive it.
  for _ in $(seq 50); do several same-everywhere there.json a.socket b.socket c.socket 2>said && return; sleep 0.1; done
  tail -n 2 said && return 1
}
recordings_say_the_same_again() {
  local name
  for name in a b c; do "$bandwise" saba replay $name.jsonl >said && grep -q "all outputs are those of the recording" said || return 1; done
}
ports_are_as_one_would_have_them() {
  sleep 1
  all_rates >three.rates && [ -s three.rates ] && killed a b c && sed '/^\[cluster\]/,$d; s/^listen.*/store = "alone"\nlisten = "unix:alone.socket"/; s/a.jsonl/alone.jsonl/' a.toml >alone.toml &&
    starts alone && becomes "$(printf 'none')" several groups alone.socket && several tell-one there.json alone.socket &&
    sleep 0.2 && all_rates >alone.rates && diff three.rates alone.rates && echo "  $(wc -l <three.rates) queues of $(cut -d ' ' -f 1-2 three.rates | sed 's/ 5aba.*//' | sort -u | wc -l) ports are the same"
}

count three_have_a_group_each connections_are_answered_soon who_goes_by_something_else_is_refused \
  one_that_dies_is_taken_over and_has_its_ports_again_when_it_is_back a_program_goes_on_with_another who_says_goodbye_is_taken_over_at_once \
  what_can_not_be_and_is_written_by_hand_is_passed_over all_that_is_taken_away_by_hand_is_gone \
  a_hundred_applications_come_and_go while_a_controller_is_killed_and_comes_back and_the_leader_of_the_etcds \
  and_one_is_cut_off all_know_what_clients_know recordings_say_the_same_again ports_are_as_one_would_have_them
