#!/usr/bin/env bash
# Bandwise beside perftest, in turns between the same two machines: that both measure the same.
#   tests/verbs/beside.sh PATH-OF-BANDWISE [FOLDER]
# ROUNDS times each measures the median of a ping-pong by SEND and by WRITE (64 B) and the bandwidth of WRITEs (64 KiB).
# What is compared is the median of all rounds: latencies must be within 25% of perftest's, the bandwidth within 15%. The
# number of rounds is fixed: nobody looks at the result and goes on. Who goes first changes from round to round. Prints a
# line for each of the three, one that fails beginning with FAILED, and below it all rounds. FOLDER keeps what was
# measured. Exit code: 0 when all three agree, 1 when not, that of the bench when it fails.
# shellcheck disable=SC2016 # Variables in single quotes are awk's and the machines'.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bandwise=$(realpath "${1:?the path of the bandwise program}")
ROUNDS=15

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
  beside "$round" send-lat "--method ping-pong" ib_send_lat "-n 100 -s 64"
  beside "$round" write-lat "--method ping-pong --operation write" ib_write_lat "-n 100 -s 64"
  beside "$round" write-bw "--method bulk" ib_write_bw "-n 60 -s 65536"
done
client+=$'\ntouch over'
server+=$'\nuntil [ -e over ]; do sleep 0.1; done; kill $served'
status=0
"$here/lab.sh" --seconds 170 --folder "$folder" "$server" "$client" >"$scratch/bench" 2>&1 || status=$?
if [ "$status" != 0 ]; then
  tail -n 40 "$scratch/bench"
  exit "$status"
fi

# One number a round, in their order; those that are missing are left out, and then counted.
ours_of() { # NAME KEY FACTOR
  local round
  for ((round = 1; round <= ROUNDS; round++)); do
    [ "$(cat "$folder/2.ours.$1.$round.status" 2>/dev/null)" != 0 ] ||
      sed -n "s/.*\"$2\":\(-\?[0-9.e-]*\).*/\1/p" "$folder/2.ours.$1.$round" |
      awk -v factor="$3" '{ printf "%.2f\n", $1 * factor }'
  done
}
theirs_of() { # NAME COLUMN
  local round
  for ((round = 1; round <= ROUNDS; round++)); do
    # "inf" is what perftest prints where it could not find out how fast the processor counts.
    awk -v column="$2" '$1 ~ /^[0-9]+$/ && $column ~ /^[0-9.]+$/ && $column > 0 { print $column }' \
      "$folder/2.theirs.$1.$round"
  done
}
failed=0
compare() { # NAME UNIT PERCENT OURS THEIRS
  local verdict=FAILED said
  said=$(awk -v ours="$4" -v theirs="$5" -v unit="$2" -v percent="$3" -v rounds="$ROUNDS" '
    function median(list, count, i, j, value, swap) {
      count = split(list, value)
      for (i = 2; i <= count; i++)
        for (j = i; j > 1 && value[j - 1] + 0 > value[j] + 0; j--) {
          swap = value[j]; value[j] = value[j - 1]; value[j - 1] = swap
        }
      return count % 2 ? value[(count + 1) / 2] : (value[count / 2] + value[count / 2 + 1]) / 2
    }
    BEGIN {
      if (split(ours, unused) != rounds || split(theirs, unused) != rounds) {
        printf "%d and %d of %d rounds", split(ours, unused), split(theirs, unused), rounds
        exit 1
      }
      ratio = median(ours) / median(theirs)
      printf "%.1f beside %.1f %s by perftest, medians of %d rounds: ratio %.3f, allowed: %d%%",
        median(ours), median(theirs), unit, rounds, ratio, percent
      exit !(ratio <= 1 + percent / 100 && ratio >= 1 - percent / 100)
    }') && verdict=
  echo "${verdict:+$verdict }$1: $said"
  if [ -n "$verdict" ]; then
    printf '  %s\n' "ours: $4" "perftest's: $5"
    failed=1
  fi
}
# perftest has half of a round trip in microseconds, and 2^20 B/s.
compare send-lat us 25 "$(ours_of send-lat p50_ns 0.0005 | xargs)" "$(theirs_of send-lat 5 | xargs)"
compare write-lat us 25 "$(ours_of write-lat p50_ns 0.0005 | xargs)" "$(theirs_of write-lat 5 | xargs)"
compare write-bw MiB/s 15 "$(ours_of write-bw gbps 119.2092896 | xargs)" "$(theirs_of write-bw 4 | xargs)"
exit "$failed"
