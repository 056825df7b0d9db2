#!/usr/bin/env bash
# Validates the bench with Debian's own measuring programs over Soft-RoCE between virtual machines. Runs bandwise there,
# and the tests of crates/verbs/tests/device/, which need a device. Checks packets of programs under `bandwise saba
# run`.
#   tests/verbs/run.sh PATH-OF-BANDWISE PATH-OF-THE-DEVICE-TESTS PATH-OF-LIBSABA_PRELOAD
# Prints a line that starts with SKIP if the bench is unavailable. The last line has the counts.
# shellcheck disable=SC2016 # Variables in single quotes are awk's and the machines'.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bandwise=$(realpath "${1:?the path of the bandwise program}")
device_tests=$(realpath "${2:?the path of the tests that want a device}")
library=$(realpath "${3:?the path of libsaba_preload.so}")
cache=${CARGO_TARGET_DIR:-$here/../../target}/verbs

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0
"$here/install.sh" "$cache" 2>"$scratch/reason" || status=$?
if [ "$status" = 3 ]; then
  echo "SKIP verbs: $(cat "$scratch/reason")"
  exit 0
elif [ "$status" != 0 ]; then
  cat "$scratch/reason"
  exit 1
fi

passed=0
failed=0
pass() {
  echo "$1"
  passed=$((passed + 1))
}
miss() { # WHAT FILE...
  echo "FAILED $1"
  tail -n 40 "${@:2}" 2>/dev/null | sed 's/^/  /' || true
  failed=$((failed + 1))
}

# Two machines. Each step is a server in machine 1 and a client in machine 2 at a port of its own. Its output and exit
# status are in files with its name.
both=$scratch/both
mkdir "$both"
preamble='step() { # NAME COMMAND...
  timeout 40 "${@:2}" >"$MACHINE.$1" 2>&1
  echo $? >"$MACHINE.$1.status"
}'
server=$preamble
client=$preamble
port=18600
step() { # NAME SERVER CLIENT, with PORT where the port goes
  server+=$'\n'"step $1 ${2//PORT/$port}"
  client+=$'\n'"await 10.0.0.1 $port || exit; step $1 ${3//PORT/$port}"
  port=$((port + 1))
}
perftest() { # PROGRAM OPTIONS: the client has the server's address besides
  step "$1" "$1 -F -d rxe0 -x 1 -p PORT $2" "$1 -F -d rxe0 -x 1 -p PORT $2 10.0.0.1"
}
perftest ib_send_lat "-n 100"
perftest ib_write_lat "-n 100"
perftest ib_read_lat "-n 100"
perftest ib_write_bw "-n 50 -s 65536"
step qperf "qperf -lp PORT" "qperf -lp PORT -cm 1 -t 1 10.0.0.1 rc_lat rc_bw quit"
step rping "rping -s -p PORT -C 5" "rping -c -a 10.0.0.1 -p PORT -C 5 -v"
devices=$'\nstep ibv_devinfo ibv_devinfo -d rxe0'
# A machine whose command has ended still responds.
outlived=$'\nuntil [ -e 1.status ]; do sleep 0.1; done
step ping /run/bench/busybox ping -c 1 -W 10 10.0.0.1'
status=0
"$here/lab.sh" --seconds 170 --folder "$both" "$server$devices" \
  "$client$devices$outlived" >"$scratch/two" 2>&1 || status=$?
[ "$status" = 0 ] || miss "two machines: the bench ended with $status" "$scratch/two"

# perftest prints "inf" if it could not determine the processor's frequency and continues because of -F.
awk_number='function number(text) { return text ~ /^([0-9.]+|inf)$/ && text != 0 }
  '

# Passes when both sides ended with 0 and AWK, on the client's output, prints something.
expect() { # NAME UNIT AWK
  local name=$1 found
  found=$(awk "$awk_number$3" "$both/2.$name" 2>/dev/null || true)
  if [ -n "$found" ] && [ "$(cat "$both"/[12]."$name".status 2>/dev/null | xargs)" = "0 0" ]; then
    pass "$name: $found $2"
  else
    miss "$name" "$both"/[12]."$name"*
  fi
}
expect ibv_devinfo "" '$1 == "state:" && $2 == "PORT_ACTIVE" { print $2 }'
for program in ib_send_lat ib_write_lat ib_read_lat; do
  expect "$program" "us, typical of 100" '$1 == 2 && $2 == 100 && number($5) { print $5 }'
done
expect ib_write_bw "MB/s, mean of 50 messages" '$1 == 65536 && $2 == 50 && number($4) { print $4 }'
expect qperf "(rc_lat, rc_bw)" '
  ($1 == "latency" || $1 == "bw") && number($3) { line = line $3 " " $4 " " }
  END { if (split(line, words) == 4) print words[1], words[2] ",", words[3], words[4] }'
expect rping "of 5 messages" '/^ping data: rdma-ping-[0-4]: / { n++ } END { if (n == 5) print n }'
if [ "$(cat "$both/2.ping.status" 2>/dev/null)" = 0 ]; then
  pass "a machine whose command has ended still answers"
else
  miss "a machine whose command has ended does not answer" "$both/2.ping"
fi

# Bandwise between two machines: every method and operation once.
ours=$scratch/ours
mkdir "$ours"
serve="$preamble
  $bandwise rperf server --listen 0.0.0.0 >server 2>&1 & served=\$!
  echo '{\"bandwise\":99,\"message\":{\"hi\":1}}' >greeting
  /run/bench/busybox nc -l -p 18518 -e /bin/cat greeting &"
measure="$preamble
  ours() { step \"\$1\" $bandwise rperf client 10.0.0.1 --json - \"\${@:2}\"; }
  await 10.0.0.1 18516 || exit"
server=$serve
client="$measure
  step device-tests $device_tests --ignored --test-threads=1
  step devices $bandwise devices
  ours rperf -n 200
  ours post-poll -n 100 --method post-poll
  ours write-imm -n 200 --method closed-loop --operation write-imm
  ours read -n 100 --method closed-loop --operation read -s 10000
  ours atomic -n 100 --method closed-loop --operation atomic
  ours send-bulk -n 200 --method bulk --operation send -s 4096 -q 3 -t 16
  ours ud -n 200 --method ping-pong -c ud
  ours ud-bulk -n 300 --method bulk -c ud -q 2
  ours seconds -D 0.2s --method bulk -s 4096
  ours events -n 200 --method ping-pong -e
  ours cm -n 200 -R
  ours threads -n 240 --method bulk --operation send -s 4096 -q 2 -t 16 --threads 3 -R -e
  ours limited -D 1 --method bulk -s 4096 --rate 200pps
  ours sweep -n 40 --method ping-pong --operation write -a -s 64KiB
  ours no-huge -n 50 --huge-pages
  ours must-huge -n 50 --huge-pages=must
  ours no-cpu -n 50 --cpu 1
  ours no-gid -x 7
  await 10.0.0.1 18518 || exit
  step other-version $bandwise rperf client 10.0.0.1:18518 -n 20
  (cat greeting; sleep 1) | /run/bench/busybox nc 10.0.0.1 18516 >refused
  step locked bash -c 'ulimit -l 64
    exec setpriv --bounding-set=-ipc_lock $bandwise rperf client 10.0.0.1 --method bulk -s 1MiB'
  ip link set eth0 mtu 1500
  ours mtu -m 4096
  ip link set eth0 mtu 9000
  echo 8 >/proc/sys/vm/nr_hugepages
  ours huge -n 50 --huge-pages=must --cpu 0"
# Failures during a measurement: the server is killed, then another one stopped, and finally the client's port goes
# down.
server+="
  until [ -e kill ]; do sleep 0.05; done
  kill -9 \$served
  $bandwise rperf server --listen 0.0.0.0:18517 >server.again 2>&1 & served=\$!
  until [ -e stop ]; do sleep 0.05; done
  kill -STOP \$served
  until [ -e continue ]; do sleep 0.05; done
  kill -CONT \$served
  until grep -q 'listening' server.again && [ -e down.end ]; do sleep 0.05; done
  sleep 5"
client+="
  begin() { # NAME PORT FLAGS: measures until something ends it
    timeout 40 $bandwise rperf client 10.0.0.1:\$2 -n 100000000 \"\${@:3}\" >\$1 2>&1 & measures=\$!
    until grep -q measuring \$1; do sleep 0.05; done
    sleep 0.5
    began=\$(date +%s%N)
  }
  ended() { # NAME
    wait \$measures
    echo \"code \$? after \$(((\$(date +%s%N) - began) / 1000000)) ms\" >\$1.end
  }
  begin killed 18516 --method ping-pong
  touch kill
  ended killed
  await 10.0.0.1 18517 || exit
  begin stopped 18517 --method bulk
  touch stop
  ended stopped
  touch continue
  begin down 18517 --method ping-pong
  ip link set eth0 down
  ended down
  ours is-down -n 20"
status=0
"$here/lab.sh" --seconds 150 --folder "$ours" "$server" "$client" >"$scratch/bench" 2>&1 || status=$?
[ "$status" = 0 ] || miss "bandwise: the bench ended with $status" "$scratch/bench"

number() { # FILE KEY: the last such number of the output of bandwise, if it succeeded
  [ "$(cat "$1.status" 2>/dev/null)" != 0 ] || sed -n "s/.*\"$2\":\(-\?[0-9.e-]*\).*/\1/p" "$1"
}
# Passes when bandwise succeeded and KEY is EXPECTED, if given.
found() { # NAME KEY UNIT [EXPECTED]
  local value
  value=$(number "$ours/2.$1" "$2")
  if [ -n "$value" ] && [ "$value" = "${4:-$value}" ]; then
    pass "bandwise, $1: $value $3"
  else
    miss "bandwise, $1: $2 is '$value'" "$ours/2.$1" "$ours/server"
  fi
}
# Passes when bandwise ended with CODE and printed PATTERN.
expect_output() { # NAME CODE PATTERN WHAT
  if [ "$(cat "$ours/2.$1.status")" = "$2" ] && grep -qE -- "$3" "$ours/2.$1"; then
    pass "bandwise, $1: $4"
  else
    miss "bandwise, $1" "$ours/2.$1" "$ours/2.$1.status"
  fi
}
# Passes when a disturbed measurement ended within 5 s with code 1, with its results so far and the cause.
ended_by() { # NAME PATTERN
  if grep -qE '^code 1 after ([0-4]?[0-9]{1,3}) ms$' "$ours/$1.end" 2>/dev/null &&
    grep -q "^Partial: .*$2" "$ours/$1"; then
    pass "bandwise, $1: $(cat "$ours/$1.end")"
  else
    miss "bandwise, $1" "$ours/$1" "$ours/$1.end" "$ours"/server*
  fi
}
of_device=$(sed -n 's/^test result: ok. \([1-9][0-9]*\) passed.*/\1/p' "$ours/2.device-tests")
if [ "$(cat "$ours/2.device-tests.status")" = 0 ] && [ -n "$of_device" ]; then
  pass "tests on a device: $of_device of them"
else
  miss "tests on a device" "$ours"/2.device-tests*
fi
if grep -q '^rxe0 1  active' "$ours/2.devices"; then
  pass "bandwise, devices: rxe0"
else
  miss "bandwise, devices" "$ours/2.devices"
fi
for name in rperf write-imm ud events cm; do found "$name" count samples 200; done
for name in post-poll read atomic; do found "$name" count samples 100; done
found send-bulk messages "messages by three queue pairs" 200
found ud-bulk messages "datagrams sent" 300
found seconds gbps Gbps
expect_output threads 0 '"messages":240,.*"by_thread":\[[^]]*"messages":80[^]]*"messages":80[^]]*"messages":80' \
  "80 messages by each of three threads, connected by RDMA-CM, woken by events"
expect_output sweep 0 '"bytes":2,.*"bytes":64,.*"bytes":4096,.*"bytes":65536,' "16 sizes"
# After a delay the next may follow at once, so there can be one more. A lower number depends on the host's load.
limited=$(number "$ours/2.limited" messages)
if [ "${limited:-0}" -ge 1 ] && [ "$limited" -le 201 ]; then
  pass "bandwise, limited: $limited messages in a second, allowed: 200"
else
  miss "bandwise, limited: '$limited' messages" "$ours/2.limited"
fi
found no-huge count "samples with ordinary pages" 50
expect_output no-huge 0 'ordinary pages in place of huge ones: 1 of 2 MiB are needed, and 0 are free' "and says so"
expect_output must-huge 1 'huge pages are not available.*nr_hugepages' "refused, with a remedy"
expect_output huge 0 '"processors":"0","memory":"huge pages of 2 MiB"' "huge pages, on processor 0"
expect_output no-cpu 2 'allowed: 0$' "refused, with a remedy"
expect_output no-gid 2 'allowed: -x 0, -x 1' "refused, with a remedy"
expect_output other-version 1 'speaks version 99' "refused by a client"
if grep -q '"refused":.*speaks version 99' "$ours/refused" && grep -q 'speaks version 99' "$ours/server"; then
  pass "bandwise, other-version: refused by a server"
else
  miss "bandwise, other-version, of a client" "$ours/refused" "$ours/server"
fi
expect_output locked 1 'memory can.t be registered.*may lock 64 KiB.*ulimit -l [0-9]+' "refused, with a remedy"
expect_output mtu 2 'rxe0 has an MTU of 1024 B' "refused, with a remedy"
expect_output is-down 2 'no port of rxe0 is active' "refused, with a remedy"
ended_by killed ''
ended_by stopped 'silent for 4'
# Either error, whichever the device reports first.
ended_by down '\(the port has gone down\|a SEND failed: local queue pair operation error\)'
# The server has noticed the client's end.
if grep -q 'the other side has been silent for 4\|the other side is gone\|the other side is lost' "$ours/server.again"; then
  pass "bandwise, down: the server has given its client up"
else
  miss "bandwise, down: the server" "$ours/server.again"
fi

# Bandwise and perftest alternate between the same two machines.
status=0
"$here/beside.sh" "$bandwise" >"$scratch/beside" 2>&1 || status=$?
for name in send-lat write-lat write-bw; do
  if line=$(grep "^$name: " "$scratch/beside"); then
    pass "bandwise, $line"
  else
    miss "bandwise beside perftest, $name (code $status)" "$scratch/beside"
  fi
done

# Several hosts, by agents.
# shellcheck source=tests/verbs/agents.sh
. "$here/agents.sh"

# Programs under Saba.
# shellcheck source=tests/verbs/saba.sh
. "$here/saba.sh"

# A required failure: an empty index of the table of addresses (GIDs).
wrong="ib_send_lat -d rxe0 -x 7 -n 10"
status=0
"$here/lab.sh" --seconds 60 "$wrong" "await 10.0.0.1 18515 && $wrong 10.0.0.1" \
  >"$scratch/wrong" 2>&1 || status=$?
if [ "$status" = 1 ] && grep -q 'Failed to modify QP' "$scratch/wrong"; then
  pass "a wrong index of the address fails"
else
  miss "a wrong index of the address: the bench ended with $status" "$scratch/wrong"
fi

# A stopped run leaves nothing: no temporary file, and no process that names its folder.
stopped() { # NAME EXPECTED COMMAND...
  local status=0 place=$scratch/temporary
  mkdir "$place"
  TMPDIR=$place "${@:3}" >"$scratch/stopped" 2>&1 || status=$?
  printf '%s\n' "$place" >"$scratch/place"
  if [ "$status" = "$2" ] && [ -z "$(ls -A "$place")" ] &&
    ! grep -slF -f "$scratch/place" /proc/[0-9]*/cmdline >"$scratch/left"; then
    pass "$1 stops all machines"
  else
    miss "$1: the bench ended with $status" "$scratch/stopped" "$scratch/left"
  fi
  rm -r "$place"
}
long="sleep 1000"
stopped "a time limit" 124 "$here/lab.sh" --seconds 2 "$long" "$long"
stopped "an interrupt" 130 timeout --preserve-status --signal=INT --kill-after=30 2 \
  env --default-signal=INT "$here/lab.sh" "$long" "$long"

echo "verbs: $passed passed, $failed failed"
[ "$failed" = 0 ]
