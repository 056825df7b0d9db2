#!/usr/bin/env bash
# Debian's own measuring programs over Soft-RoCE between virtual machines: that the bench is sound. And
# bandwise beside them, and the tests of crates/verbs/tests/device.rs, which want a device.
#   tests/verbs/run.sh PATH-OF-BANDWISE PATH-OF-THOSE-TESTS
# Prints a line that starts with SKIP where the bench can't be had. The last line counts.
# shellcheck disable=SC2016 # Variables in single quotes are awk's and the machines'.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bandwise=$(realpath "${1:?the path of the bandwise program}")
device_tests=$(realpath "${2:?the path of the tests that want a device}")
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

# Two machines. Each step is a server in machine 1 and a client in machine 2 at a port of its own, and
# leaves what it prints and how it ends in files with its name.
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
  step "$1" "$1 -d rxe0 -x 1 -p PORT $2" "$1 -d rxe0 -x 1 -p PORT $2 10.0.0.1"
}
perftest ib_send_lat "-n 100"
perftest ib_write_lat "-n 100"
perftest ib_read_lat "-n 100"
perftest ib_write_bw "-n 50 -s 65536"
step qperf "qperf -lp PORT" "qperf -lp PORT -cm 1 -t 1 10.0.0.1 rc_lat rc_bw quit"
step rping "rping -s -p PORT -C 5" "rping -c -a 10.0.0.1 -p PORT -C 5 -v"
devices=$'\nstep ibv_devinfo ibv_devinfo -d rxe0'
status=0
"$here/lab.sh" --seconds 170 --folder "$both" "$server$devices" "$client$devices" \
  >"$scratch/two" 2>&1 || status=$?
[ "$status" = 0 ] || miss "two machines: the bench ended with $status" "$scratch/two"

# "inf" is what perftest prints where it could not find out how fast the processor counts.
awk_number='function number(text) { return text ~ /^[0-9.]+$/ && text > 0 }
  '

# Passes when both sides ended with 0 and AWK, over what the client printed, prints something.
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

# Bandwise between two machines: every method, each once.
ours=$scratch/ours
mkdir "$ours"
serve="$preamble
  $bandwise rperf server --listen 0.0.0.0 >server 2>&1 & served=\$!"
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
  ours no-gid -x 7"
# Last, the server is killed while something is measured.
server+='
  until [ -e kill ]; do sleep 0.05; done
  kill -9 $served'
client+="
  timeout 40 $bandwise rperf client 10.0.0.1 -n 100000000 --method ping-pong >killed 2>&1 & measures=\$!
  until grep -q measuring killed; do sleep 0.05; done
  sleep 0.5
  began=\$(date +%s%N)
  touch kill
  wait \$measures
  echo \"code \$? after \$(((\$(date +%s%N) - began) / 1000000)) ms\" >killed.end"
status=0
"$here/lab.sh" --seconds 120 --folder "$ours" "$server" "$client" >"$scratch/bench" 2>&1 || status=$?
[ "$status" = 0 ] || miss "bandwise: the bench ended with $status" "$scratch/bench"

number() { # FILE KEY: a number of what bandwise said, if it ended well
  [ "$(cat "$1.status" 2>/dev/null)" != 0 ] || sed -n "s/.*\"$2\":\(-\?[0-9.e-]*\).*/\1/p" "$1"
}
# Passes when bandwise ended well and KEY is EXPECTED, if that is given.
found() { # NAME KEY UNIT [EXPECTED]
  local value
  value=$(number "$ours/2.$1" "$2")
  if [ -n "$value" ] && [ "$value" = "${4:-$value}" ]; then
    pass "bandwise, $1: $value $3"
  else
    miss "bandwise, $1: $2 is '$value'" "$ours/2.$1" "$ours/server"
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
for name in rperf write-imm ud; do found "$name" count samples 200; done
for name in post-poll read atomic; do found "$name" count samples 100; done
found send-bulk messages "messages by three queue pairs" 200
found ud-bulk messages "datagrams sent" 300
found seconds gbps Gbps
if [ "$(cat "$ours/2.no-gid.status")" = 2 ] && grep -q 'allowed: -x 0, -x 1' "$ours/2.no-gid"; then
  pass "bandwise, no-gid: refused with what would do"
else
  miss "bandwise, no-gid" "$ours"/2.no-gid*
fi
if grep -qE '^code 1 after ([0-4]?[0-9]{1,3}) ms$' "$ours/killed.end" 2>/dev/null &&
  grep -q '^Partial: ' "$ours/killed"; then
  pass "bandwise, the server is killed: $(cat "$ours/killed.end")"
else
  miss "bandwise, the server is killed" "$ours"/killed*
fi

# Bandwise and perftest in turns between the same two machines. The best of all rounds is compared, and there
# are more rounds until they agree, three times as many at most: machines whose processors the host needs for
# something else are slow for seconds, whoever measures.
agree() { # NAME KEY FACTOR COLUMN BEST PERCENT: leaves NAME.agrees if they do
  local mine theirs file
  mine=$(for file in "$scratch"/beside.*/2."$1".?; do number "$file" "$2"; done | xargs)
  theirs=$(cat "$scratch"/beside.*/2."$1".?-theirs 2>/dev/null |
    awk "$awk_number"'$1 ~ /^[0-9]+$/ && number($column) { print $column }' column="$4" | xargs)
  printf '%s\n' "ours: $mine" "perftest's: $theirs" >"$scratch/$1.rounds"
  rm -f "$scratch/$1.agrees"
  if awk -v mine="$mine" -v theirs="$theirs" -v factor="$3" -v best="$5" -v percent="$6" '
    function pick(list, count, i, value, found) {
      count = split(list, value)
      found = value[1]
      for (i = 2; i <= count; i++)
        if (best == "least" ? value[i] < found : value[i] > found) found = value[i]
      return found
    }
    BEGIN {
      rounds = split(mine, unused)
      mine = pick(mine) * factor
      theirs = pick(theirs)
      printf "%.1f beside %.1f by perftest, best of %d; allowed: %d%%", mine, theirs, rounds, percent
      exit !(mine > 0 && theirs > 0 && mine <= theirs * (1 + percent / 100) &&
        mine >= theirs * (1 - percent / 100))
    }' >"$scratch/$1.compared"; then
    touch "$scratch/$1.agrees"
  fi
}
# perftest has half of a round trip in microseconds, and 2^20 B/s.
all_agree() {
  agree send-lat p50_ns 0.0005 5 least 25
  agree write-lat p50_ns 0.0005 5 least 25
  agree write-bw gbps 119.2092896 4 most 15
  [ -e "$scratch/send-lat.agrees" ] && [ -e "$scratch/write-lat.agrees" ] &&
    [ -e "$scratch/write-bw.agrees" ]
}
server=$serve
client=$measure
port=18700
beside() { # NAME FLAGS-OF-BANDWISE PROGRAM FLAGS-OF-BOTH
  client+=$'\n'"ours $1 $2 $4"
  step "$1-theirs" "$3 -d rxe0 -x 1 -p PORT $4" "$3 -d rxe0 -x 1 -p PORT $4 10.0.0.1"
}
for round in 1 2 3 4 5; do
  beside "send-lat.$round" "--method ping-pong" ib_send_lat "-n 150 -s 64"
  beside "write-lat.$round" "--method ping-pong --operation write" ib_write_lat "-n 150 -s 64"
  beside "write-bw.$round" "--method bulk" ib_write_bw "-n 100 -s 65536"
done
for attempt in 1 2 3; do
  status=0
  "$here/lab.sh" --seconds 120 --folder "$scratch/beside.$attempt" "$server" "$client" \
    >"$scratch/bench" 2>&1 || status=$?
  [ "$status" = 0 ] || miss "beside perftest: the bench ended with $status" "$scratch/bench"
  ! all_agree || break
done
for name in send-lat write-lat write-bw; do
  if [ -e "$scratch/$name.agrees" ]; then
    pass "bandwise, $name: $(cat "$scratch/$name.compared")"
  else
    miss "bandwise, $name: $(cat "$scratch/$name.compared")" "$scratch/$name.rounds"
  fi
done

# Four machines, three of which write into the first at the same time. When its command has ended it
# still answers.
many=$scratch/many
mkdir "$many"
writes="ib_write_bw -d rxe0 -x 1 -n 50 -s 65536 -p"
senders=()
for sender in 2 3 4; do
  senders+=("await 10.0.0.1 1861$sender || exit
    touch $sender.ready
    until [ -e 2.ready ] && [ -e 3.ready ] && [ -e 4.ready ]; do sleep 0.1; done
    timeout 60 $writes 1861$sender 10.0.0.1 || exit
    until [ -e 1.status ]; do sleep 0.1; done
    /run/bench/busybox ping -c 1 -W 10 10.0.0.1")
done
status=0
"$here/lab.sh" --seconds 170 --folder "$many" \
  "for port in 2 3 4; do timeout 100 $writes 1861\$port & servers+=(\$!); done
   for server in \${servers[@]}; do wait \$server || exit; done" "${senders[@]}" \
  >"$scratch/four" 2>&1 || status=$?
rates=$(awk "$awk_number"'$1 == 65536 && $2 == 50 && number($4) { print $4 }' \
  "$many"/[234].output 2>/dev/null | xargs || true)
if [ "$status" = 0 ] && [ "$(wc -w <<<"$rates")" = 3 ]; then
  pass "three to one: $rates MB/s"
else
  miss "three to one: the bench ended with $status" "$scratch/four"
fi

# Several hosts, by agents.
# shellcheck source=tests/verbs/agents.sh
. "$here/agents.sh"

# What must fail: an index of the table of addresses (GIDs) with nothing in it.
wrong="ib_send_lat -d rxe0 -x 7 -n 10"
status=0
"$here/lab.sh" --seconds 60 "$wrong" "await 10.0.0.1 18515 && $wrong 10.0.0.1" \
  >"$scratch/wrong" 2>&1 || status=$?
if [ "$status" = 1 ] && grep -q 'Failed to modify QP' "$scratch/wrong"; then
  pass "a wrong index of the address fails"
else
  miss "a wrong index of the address: the bench ended with $status" "$scratch/wrong"
fi

# What is stopped leaves nothing: no file where temporary files go, no process that names that place.
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
