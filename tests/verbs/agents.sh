# shellcheck shell=bash disable=SC2154,SC2016 # Part of run.sh, which has the variables; those in quotes are the machines'.
# Agents on four machines, with the coordinator on the first: three senders to one receiver, and failures during a run.
agents=$scratch/agents
mkdir "$agents"

hosts=$(for machine in 1 2 3 4; do
  printf '[[host]]\nname = "h%s"\nagent = "10.0.0.%s"\n' "$machine" "$machine"
done)
# Two flows write as fast as possible, one measures small messages. Completions wake them: busy polling would take the
# only processor from the agent's connection to the coordinator.
three_to_one() { # SECONDS
  printf '%s\n' 'title = "Three to one"' "duration = \"$1 s\"" 'margin = "500 ms"' "$hosts" \
    '[[flow]]' 'from = ["h2", "h3"]' 'to = "h1"' 'method = "bulk"' 'completion = "event"' 'depth = 16' \
    '[[flow]]' 'name = "small"' 'from = "h4"' 'to = "h1"' 'method = "rperf"' 'completion = "event"'
}
three_to_one 3 >"$agents/short.toml"
three_to_one 30 >"$agents/long.toml"
cat >"$agents/two.toml" <<'TOML'
duration = "2 s"
margin = "500 ms"
host = [{ name = "h1", agent = "10.0.0.1" }, { name = "h2", agent = "10.0.0.2" }]
flow = [{ from = "h2", to = "h1", method = "closed-loop", opcode = "read", bytes = "4 KiB", role = "bsg" },
  { from = "h1", to = "h2", method = "ping-pong", completion = "event" }]
TOML
cat >"$agents/store.toml" <<'TOML'
duration = "2 s"
margin = "500 ms"
host = [{ name = "h1", agent = "10.0.0.1" }, { name = "h2", agent = "10.0.0.2" }]
[[flow]]
name = "store"
from = "h1"
to = "h2"
method = "key-value"
clients = 2
workers = 2
put-every = 4
completion = "event"
[[flow]]
name = "elephant"
from = "h1"
to = "h2"
method = "closed-loop"
opcode = "write"
bytes = "1 MB"
role = "bsg"
completion = "event"
TOML
sed 's/"10.0.0.2"/"10.0.0.1:18600"/' "$agents/two.toml" >"$agents/other.toml"

agent="(umask 077; echo of the bench, 24 bytes >/run/token)
  began() { date +%s%N; }
  ended() { echo \"code \$1 after \$(((\$(date +%s%N) - \$2) / 1000000)) ms\"; }
  $bandwise rperf agent --token-file /run/token --listen 10.0.0.\$MACHINE >\$MACHINE.agent 2>&1 & agent=\$!"
run="timeout 60 $bandwise rperf run --token-file /run/token"
# On a busy host a machine may stall for longer than a margin, and the run reports that. It may be tried three times.
whole="whole() { # NAME COMMAND...
    for attempt in 1 2 3; do
      \"\${@:2}\" >\$1 2>&1
      echo \$? >\$1.code
      [ \$(cat \$1.code) != 0 ] || break
    done
  }"
# A run of half a minute: started, for some seconds; and with an action on another machine during the run, which waits
# for a file.
amid="begun() { # NAME COMMAND...
    \"\${@:2}\" >\$1 2>&1 & running=\$!
    until grep -q 'flows begin' \$1; do sleep 0.05; done
    sleep 3
  }
  amid() { # NAME
    begun \$1 $run long.toml --json \$1.json
    start=\$(began)
    touch \$1.now
    wait \$running
    ended \$? \$start >\$1.end
  }"
# An agent of another version sends its greeting. Its client is one line, whose response is kept.
coordinator="$agent
  $whole
  $amid
  for host in 1 2 3 4; do await 10.0.0.\$host 18517 || exit; done
  whole short $run short.toml --json short.json --report short.html
  (umask 077; echo another token, 24 bytes >/run/wrong)
  timeout 20 $bandwise rperf run two.toml --token-file /run/wrong >wrong 2>&1
  echo \$? >wrong.code
  challenge='\"message\":{\"challenge\":\"00000000000000000000000000000000\"}}'
  echo \"{\\\"bandwise\\\":99,\$challenge\" >/run/greeting
  (sleep 10 | /run/bench/busybox nc -l -p 18600 -e /bin/cat /run/greeting) &
  await 10.0.0.1 18600
  $run other.toml >version 2>&1
  echo \$? >version.code
  (cat /run/greeting; sleep 1) | /run/bench/busybox nc 10.0.0.1 18517 >refused
  amid killed
  begun abandoned $bandwise rperf run --token-file /run/token long.toml
  kill -9 \$running
  whole two $run two.toml --json two.json
  whole isolation timeout 60 $bandwise isolation --from 10.0.0.1 --to 10.0.0.2 --token-file /run/token \\
    --item elephants --quick --largest '1 MB' --duration '2 s' --margin '500 ms' --json isolation.json
  whole store $run store.toml --json store.json
  whole stores timeout 60 $bandwise isolation --from 10.0.0.1 --to 10.0.0.2 --token-file /run/token \\
    --item key-value --clients 2 --workers 1 --largest '1 MB' --duration '2 s' --margin '500 ms' \\
    --json stores.json --report stores.html
  amid silent
  touch over
  kill \$agent"
until_over='until [ -e over ]; do sleep 0.1; done; kill $agent'
status=0
"$here/lab.sh" --seconds 170 --folder "$agents" "$coordinator" "$agent; $until_over" \
  "$agent
  until [ -e killed.now ]; do sleep 0.05; done
  kill -9 \$agent
  $bandwise rperf agent --token-file /run/token --listen 10.0.0.3 >3.again 2>&1 & agent=\$!
  $until_over" \
  "$agent
  until [ -e silent.now ]; do sleep 0.05; done
  ip link set eth0 down
  $until_over" >"$scratch/bench" 2>&1 || status=$?
[ "$status" = 0 ] || miss "agents: the bench ended with $status" "$scratch/bench"

# Messages of each flow while all were active.
messages() { # FILE
  grep -o '"window":{"messages":[1-9][0-9]*' "$agents/$1" 2>/dev/null | sed 's/.*://' | xargs
}
ended_with() { # NAME CODE WORDS: checks the exit code and the output
  [ "$(cat "$agents/$1.code" 2>/dev/null)" = "$2" ] && grep -q "$3" "$agents/$1"
}
if ended_with short 0 'Latency while all flows were active' && grep -q '"stop":"complete"' "$agents/short.json" &&
  [ "$(messages short.json | wc -w)" = 3 ] && grep -q 'Three to one' "$agents/short.html"; then
  pass "agents, three to one: $(messages short.json) messages"
else
  miss "agents, three to one" "$agents"/short "$agents"/?.agent
fi
if ended_with two 0 'Latency while all flows were active' && [ "$(messages two.json | wc -w)" = 2 ]; then
  pass "agents, after a coordinator that is gone: $(messages two.json) messages"
else
  miss "agents, after a coordinator that is gone" "$agents/two" "$agents"/?.agent
fi
# One case: messages of 1 MB, for which a machine has enough memory, by overlapping WRITEs.
ratio=$(sed -n 's/.*"bandwidth ratio","unit":"x","measured":\([0-9.]*\).*/\1/p' "$agents/isolation.json" 2>/dev/null || true)
if ended_with isolation 0 '^1 of 1 cases; ' && [ -n "$ratio" ]; then
  pass "isolation, elephants over each other: $ratio"
else
  miss "isolation" "$agents"/isolation* "$agents"/?.agent
fi
# The key-value store beside an elephant flow. Each returned value is compared with the one that was put, and a wrong
# one fails the run.
store=$(sed -n 's/.*"name":"store",\(.*\),{"name":"elephant".*/\1/p' "$agents/store.json" 2>/dev/null || true)
in_store() { # KEY
  sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p" <<<"$store"
}
values=$(in_store values_checked)
if ended_with store 0 'key-value' && [ "$(in_store workers)" = 2 ] && [ "$(messages store.json | wc -w)" = 2 ] &&
  [ "${values:-0}" -gt 0 ] && [ -n "$(in_store messages_per_s)" ] && [ -n "$(in_store p99_9_ns)" ]; then
  pass "agents, a key-value store beside an elephant: $(messages store.json) requests and messages, $values values right"
else
  miss "agents, a key-value store beside an elephant" "$agents"/store* "$agents"/?.agent
fi
# The same alone and beside an elephant flow, with busy polling threads: the ratio of request times.
times=$(sed -n 's/.*"beside 1 MB over alone","metric":"latency p50","unit":"x","measured":\([0-9.]*\).*/\1/p' \
  "$agents/stores.json" 2>/dev/null || true)
if ended_with stores 0 '^2 of 2 cases; ' && [ -n "$times" ] && grep -q 'HERD also suffers' "$agents/stores.html" &&
  [ "$(grep -o '"metric":"requests","unit":"million/s","measured":[0-9.e-]*[1-9]' "$agents/stores.json" | wc -l)" = 2 ]; then
  pass "isolation, a key-value store beside an elephant: its median is $times times that alone"
else
  miss "isolation, a key-value store" "$agents"/stores* "$agents"/?.agent
fi
if ended_with wrong 1 'not signed with this token'; then
  pass "agents, another token is refused"
else
  miss "agents, another token" "$agents"/wrong*
fi
if ended_with version 1 'speaks version 99' && grep -q 'refused.*speaks version 99' "$agents/refused"; then
  pass "agents, another version is refused on both sides"
else
  miss "agents, another version" "$agents"/version* "$agents/refused"
fi
# Seconds from the end of the measured window to the end of the longest flow.
left_out() { # FILE
  local window active
  window=$(sed -n 's/.*"window_s":\[[^,]*,\([0-9.]*\)\].*/\1/p' "$agents/$1" 2>/dev/null)
  active=$(grep -o '"active_s":\[[^]]*\]' "$agents/$1" 2>/dev/null | sed 's/.*,//; s/]//' | sort -g | tail -1)
  [ -n "$window" ] && [ -n "$active" ] && awk "BEGIN { print $active - $window }"
}
# All end within 5 s with the others' measurements of the window in which all were active. A silent agent is given up
# after 3 s, which do not count.
for name in killed silent; do
  least=$([ $name = silent ] && echo 2.9 || echo 0)
  if grep -qE '^code 1 after [0-4]?[0-9]{1,3} ms$' "$agents/$name.end" 2>/dev/null &&
    grep -q '^Partial: ' "$agents/$name" && grep -q '"stop":"failed"' "$agents/$name.json" &&
    [ "$(messages "$name.json" | wc -w)" = 2 ] && left_out=$(left_out "$name.json") &&
    awk "BEGIN { exit !($left_out >= $least) }"; then
    pass "agents, one is $name: $(cat "$agents/$name.end"), $(messages "$name.json") messages before, $left_out s not counted"
  else
    miss "agents, one is $name" "$agents/$name" "$agents/$name.end" "$agents"/?.agent
  fi
done
