#!/usr/bin/env bash
# A controller of a network in memory, in a folder of its own that is taken away again. Prints what it does behind a >.
set -euo pipefail
cd "$(dirname "$0")"
scratch=$(mktemp -d)
cp controller.toml table.csv "$scratch"
cd "$scratch"
trap 'kill $controller 2>/dev/null; wait; rm -rf "$scratch"' EXIT

bandwise saba controller --config controller.toml >log 2>&1 &
controller=$!
ask() { curl -s --unix-socket controller.sock "$@"; }
for _ in $(seq 100); do
  ! ask -o /dev/null http://c/v1/status || break
  sleep 0.1
done
settled() { until ask http://c/v1/status | grep -q '^{[^[]*"settled":true'; do sleep 0.02; done; }
# Prints a command and its output. The client's number is random: it is shown as N.
client=none
run() { # COMMAND …
  local shown="" word said
  for word; do
    case $word in
      curl) shown+=" curl -s --unix-socket controller.sock" ;;
      *" "*) shown+=$' \\\n    '"'$word'" ;;
      *) shown+=" $word" ;;
    esac
  done
  echo ">${shown//$client/N}"
  if [ "$1" != curl ]; then
    "$@"
    return
  fi
  said=$(ask "${@:2}")
  [ "$client" != none ] || client=$(sed 's/.*"client":\([0-9]*\).*/\1/' <<<"$said")
  echo "${said//$client/N}"
}

run curl -X POST http://c/v1/clients
tell() { run curl http://c/v1/requests -d "{\"client\": $client, \"number\": $1, \"request\": {$2}}"; }
tell 0 '"register": {"name": "LR", "nodes": 8}'
tell 1 '"register": {"name": "PR", "nodes": 8}'
tell 2 '"connect": {"application": 0, "from": "h0", "to": "h3"}'
tell 3 '"connect": {"application": 1, "from": "h1", "to": "h3"}'
settled
run bandwise saba status --config controller.toml
run bandwise saba rates --config controller.toml
run bandwise saba rates --config controller.toml --engine packets
kill $controller
wait
echo '> bandwise saba replay recording.jsonl | tail -n 1'
bandwise saba replay recording.jsonl | tail -n 1
