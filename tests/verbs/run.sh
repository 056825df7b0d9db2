#!/usr/bin/env bash
# Debian's own measuring programs over Soft-RoCE between virtual machines: that the bench is sound.
#   tests/verbs/run.sh
# Prints a line that starts with SKIP where the bench can't be had. The last line counts.
# shellcheck disable=SC2016 # Variables in single quotes are awk's and the machines'.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
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
