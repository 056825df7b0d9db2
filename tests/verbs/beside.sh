#!/usr/bin/env bash
# Bandwise and perftest alternate between the same two machines, and must measure the same.
#   tests/verbs/beside.sh PATH-OF-BANDWISE [FOLDER]
# In each of ROUNDS both measure the bandwidth of WRITEs (64 KiB), one right after the other. In each of the first
# PING_PONGS they measure the median of a ping-pong by SEND and by WRITE (64 B). The criterion is the ratio per round:
# the median of ours over theirs must be within 25% for latencies, within 15% for the bandwidth. (On a busy host,
# latencies vary severalfold from one second to another. Within a round both see the same load.) Four WRITEs are
# outstanding: with eight or more, some packets of Soft-RoCE overtake others and are retransmitted, and then the two
# differ threefold at random. The number of rounds is fixed in advance. The order alternates from round to round. Prints
# a line for each of the three, which starts with FAILED after a failure, and below it all rounds. FOLDER keeps the
# measurements. Exit code: 0 if all three agree, 1 if not, that of the bench if it fails.
# shellcheck disable=SC2016 # Variables in single quotes are awk's and the machines'.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bandwise=$(realpath "${1:?the path of the bandwise program}")
PING_PONGS=11
ROUNDS=14

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
folder=${2:-$scratch/beside}
mkdir -p "$folder"

preamble='step() { # NAME COMMAND...
  timeout 40 "${@:2}" >"$MACHINE.$1" 2>&1
  echo $? >"$MACHINE.$1.status"
}'
server="$preamble
  $bandwise rperf server --listen 0.0.0.0 >server 2>&1 & served=\$!"
client="$preamble
  await 10.0.0.1 18516 || exit"
port=18700
ours() { # NAME FLAGS
  client+=$'\n'"step $1 $bandwise rperf client 10.0.0.1 --json - $2"
}
theirs() { # NAME PROGRAM FLAGS
  server+=$'\n'"step $1 $2 -d rxe0 -x 1 -p $port $3"
  client+=$'\n'"await 10.0.0.1 $port || exit; step $1 $2 -d rxe0 -x 1 -p $port $3 10.0.0.1"
  port=$((port + 1))
}
beside() { # ROUND NAME FLAGS-OF-BANDWISE PROGRAM FLAGS-OF-BOTH
  if [ $(($1 % 2)) = 0 ]; then
    ours "ours.$2.$1" "$3 $5"
    theirs "theirs.$2.$1" "$4" "$5"
  else
    theirs "theirs.$2.$1" "$4" "$5"
    ours "ours.$2.$1" "$3 $5"
  fi
}
for ((round = 1; round <= ROUNDS; round++)); do
  beside "$round" write-bw "--method bulk" ib_write_bw "-n 400 -s 65536 -t 4"
  [ "$round" -le "$PING_PONGS" ] || continue
  beside "$round" send-lat "--method ping-pong" ib_send_lat "-n 500 -s 64"
  beside "$round" write-lat "--method ping-pong --operation write" ib_write_lat "-n 500 -s 64"
done
client+=$'\ntouch over'
server+=$'\nuntil [ -e over ]; do sleep 0.1; done; kill $served'
status=0
"$here/lab.sh" --seconds 240 --folder "$folder" "$server" "$client" >"$scratch/bench" 2>&1 || status=$?
if [ "$status" != 0 ]; then
  tail -n 40 "$scratch/bench"
  exit "$status"
fi

# A number of a round. perftest has none if it could not determine the processor's frequency, which it tries each time.
# Such a round is omitted, but of four there must be three. None of ours may be missing.
ours_of() { # ROUND NAME KEY
  [ "$(cat "$folder/2.ours.$2.$1.status" 2>/dev/null)" != 0 ] ||
    sed -n "s/.*\"$3\":\(-\?[0-9.e-]*\).*/\1/p" "$folder/2.ours.$2.$1"
}
theirs_of() { # ROUND NAME COLUMN
  awk -v column="$3" '$1 ~ /^[0-9]+$/ && $column ~ /^[0-9.]+$/ && $column > 0 { print $column }' \
    "$folder/2.theirs.$2.$1"
}
failed=0
compare() { # NAME ROUNDS UNIT PERCENT KEY FACTOR COLUMN
  local output round mine perftests
  for ((round = 1; round <= $2; round++)); do
    mine=$(ours_of "$round" "$1" "$5")
    perftests=$(theirs_of "$round" "$1" "$7")
    echo "${mine:--} ${perftests:--}"
  done >"$scratch/rounds"
  if output=$(awk -v factor="$6" -v unit="$3" -v percent="$4" '
    function median(value, count, i, j, swap) {
      for (i = 2; i <= count; i++)
        for (j = i; j > 1 && value[j - 1] > value[j]; j--) {
          swap = value[j]; value[j] = value[j - 1]; value[j - 1] = swap
        }
      return count % 2 ? value[(count + 1) / 2] : (value[count / 2] + value[count / 2 + 1]) / 2
    }
    $1 == "-" { missing++ }
    $1 != "-" && $2 != "-" { n++; ours[n] = $1 * factor; theirs[n] = $2 + 0; ratio[n] = ours[n] / theirs[n] }
    END {
      if (missing || 4 * n < 3 * NR) {
        printf "%d rounds of %d, and %d of ours are missing", n, NR, missing
        exit 1
      }
      middle = median(ratio, n)
      printf "%.3f of perftest (of %d rounds, %.2f to %.2f; medians %.1f and %.1f %s), allowed: %d%%", middle, n,
        ratio[1], ratio[n], median(ours, n), median(theirs, n), unit, percent
      exit !(middle <= 1 + percent / 100 && middle >= 1 - percent / 100)
    }' "$scratch/rounds"); then
    echo "$1: $output"
  else
    echo "FAILED $1: $output"
    sed 's/^/  ours and perftest: /' "$scratch/rounds"
    failed=1
  fi
}
# perftest reports half of a round trip in microseconds, and 2^20 B/s.
compare send-lat "$PING_PONGS" us 25 p50_ns 0.0005 5
compare write-lat "$PING_PONGS" us 25 p50_ns 0.0005 5
compare write-bw "$ROUNDS" MiB/s 15 gbps 119.2092896 4
exit "$failed"
