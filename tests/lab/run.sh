#!/usr/bin/env bash
# Network namespaces joined by a switch (`bandwise lab`) on this machine: creation and removal, writing and reading
# ports, and shares of links.
#   tests/lab/run.sh PATH-OF-BANDWISE PATH-OF-THE-LINUX-TESTS
# Prints a line that starts with SKIP if that is unavailable. The last line has the counts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bandwise=$(realpath "${1:?the path of the bandwise program}")
linux=${2:?the path of the test linux of the crate enforce}

what=lab
. "$here/made.sh"

lab=t$$
other=u$$
finish() {
  # A second signal or a closed pipe must not interrupt this.
  trap '' HUP INT PIPE TERM
  "$bandwise" lab down --force --name "$lab" >/dev/null 2>&1 || true
  "$bandwise" lab down --force --name "$other" >/dev/null 2>&1 || true
  # Created by a check below, in addition to the labs.
  [ ! -e "$scratch/foreign" ] || ip netns delete "bandwise-$other-h2"
  rm -rf "$scratch"
}
trap finish EXIT

made "$lab" 3

# Runs a command with both outputs in $scratch/output, and keeps its exit code.
run() {
  local code=0
  "$bandwise" lab "$@" >"$scratch/output" 2>&1 </dev/null || code=$?
  return $code
}
# Checks the exit code, and that all given texts were printed.
ends() { # CODE SAID … -- COMMAND …
  local code=0 wanted=$1 output=()
  shift
  while [ "$1" != -- ]; do output+=("$1") && shift; done
  shift
  run "$@" || code=$?
  [ "$code" = "$wanted" ] || { echo "  exit code $code: lab $*" && sed 's/^/  /' "$scratch/output" && return 1; }
  for text in "${output[@]}"; do
    grep -qF -- "$text" "$scratch/output" || { echo "  not output: $text" && sed 's/^/  /' "$scratch/output" && return 1; }
  done
}
namespaces() { ip netns list | cut -d ' ' -f 1 | grep "^bandwise-$1-" || true; }

is_up() {
  cat "$scratch/error" && [ "$(namespaces "$lab" | wc -l)" = 4 ] &&
    ends 1 "exists already" -- up --name "$lab" &&
    ends 0 "10.0.0.3" "switch to h3" "200 Mbps" -- status --name "$lab" &&
    "$bandwise" lab status --name "$lab" --json | python3 -c '
import json, sys
status = json.load(sys.stdin)
assert [host["address"] for host in status["hosts"]] == ["10.0.0.1", "10.0.0.2", "10.0.0.3"]
assert len(status["ports"]) == 6 and all(port["queues"] == [] for port in status["ports"])'
}
commands_run_on_hosts() {
  ends 7 -- exec --name "$lab" h1 -- sh -c 'exit 7' &&
    ends 0 "10.0.0.2/24" -- exec --name "$lab" h2 -- ip address show dev eth0 &&
    ends 2 "h1 to h3 or switch" -- exec --name "$lab" h4 -- true &&
    ends 1 "there is no lab" -- exec --name none h1 -- true
}
weights_read_back() {
  ends 0 "10, 14" "135 Mbps" "45 Mbps" -- weights --name "$lab" h2 10,14=3 12=1 &&
    cp "$scratch/output" "$scratch/set" && ends 0 -- weights --name "$lab" h2 &&
    cmp "$scratch/set" "$scratch/output" &&
    ends 0 '"queues":[]' -- weights --name "$lab" h2 --clear --json &&
    ends 2 "one for each DSCP" -- weights --name "$lab" h2 10=1 10=2 &&
    ends 2 "a DSCP from 1 to 63" -- weights --name "$lab" h2 64=1 &&
    ends 2 "h1 to h3" -- weights --name "$lab" h9
}
# A foreign qdisc on a port of the lab, which Saba would have to replace.
foreign_qdiscs_stay() {
  tc -netns "bandwise-$lab-switch" qdisc replace dev h2 root handle 7: pfifo limit 10 &&
    ends 1 "configuration of another program" -- weights --name "$lab" h2 10=1 &&
    tc -netns "bandwise-$lab-switch" qdisc show dev h2 | finds "pfifo 7:"
}
failed_creation_is_rolled_back() {
  ip netns add "bandwise-$other-h2" && touch "$scratch/foreign" &&
    ends 1 "was not created for a lab" "the incomplete lab was removed" -- up --name "$other" --hosts 3 &&
    [ "$(namespaces "$other")" = "bandwise-$other-h2" ] &&
    ends 0 "there is no lab" -- down --name "$other" &&
    [ "$(namespaces "$other")" = "bandwise-$other-h2" ] &&
    ip netns delete "bandwise-$other-h2" && rm "$scratch/foreign"
}
two_labs_coexist() {
  ends 0 -- up --name "$other" --hosts 2 --rate '1 Gbps' &&
    ends 0 "1000 Mbps" -- status --name "$other" && ends 0 "200 Mbps" -- status --name "$lab"
}
# A namespace replaced by another one of the same name.
down_removes_only_its_own() {
  ip netns delete "bandwise-$other-h2" && ip netns add "bandwise-$other-h2" && touch "$scratch/foreign" &&
    ends 1 "was not created for this lab" -- exec --name "$other" h2 -- true &&
    ends 0 "was not created for this lab, and is not removed" -- down --name "$other" &&
    [ "$(namespaces "$other")" = "bandwise-$other-h2" ] &&
    ip netns delete "bandwise-$other-h2" && rm "$scratch/foreign"
}
only_root() {
  python3 - "$bandwise" <<'EOF'
import os, subprocess, sys
# The program is opened before, since an unprivileged user may not read its folder.
program = os.open(sys.argv[1], os.O_RDONLY)
ran = subprocess.run([f"/proc/self/fd/{program}", "lab", "status"], user=65534, capture_output=True,
                     pass_fds=[program])
assert ran.returncode == 1 and b"needs root" in ran.stderr, ran
EOF
}
linux() { BANDWISE_TEST_PORT="bandwise-$lab-switch/h2" "$linux" --nocapture >"$scratch/output" 2>&1 ||
  { cat "$scratch/output" && return 1; }
  grep -E '^  ' "$scratch/output"
}
free_port() { tc -netns "bandwise-$lab-switch" qdisc delete dev h2 root; }
kills_leave_no_half() { python3 "$here/killed.py" "$bandwise" "$lab"; }
three_to_one() { python3 "$here/shares.py" "$bandwise" "$lab" 10=3 12=1; }
one_to_one() { python3 "$here/shares.py" "$bandwise" "$lab" 10=1 12=1; }
default_class() { python3 "$here/shares.py" "$bandwise" "$lab" 10=9 0=1; }
ipv6_by_mark() { python3 "$here/ipv6.py" "$bandwise" "$lab"; }
busy_labs_stay() {
  "$bandwise" lab exec --name "$lab" h1 -- sleep 600 &
  local sleeper=$!
  until [ "$(ip netns pids "bandwise-$lab-h1")" = "$sleeper" ] &&
    [ "$(cat /proc/$sleeper/comm)" = sleep ]; do kill -0 $sleeper || return 1; done
  ends 1 "sleep ($sleeper)" "--force" -- down --name "$lab" && [ "$(namespaces "$lab" | wc -l)" = 4 ]
  local status=$?
  kill "$sleeper"
  wait "$sleeper" || true
  return $status
}
down_removes_all() {
  ends 0 "4 namespaces" -- down --name "$lab" && [ -z "$(namespaces "$lab")" ] &&
    ends 0 "there is no lab" -- down --name "$lab"
}

passed=0
failed=0
check() { # NAME FUNCTION
  if "$2"; then
    echo "$1: ok"
    passed=$((passed + 1))
  else
    echo "$1: FAILED"
    failed=$((failed + 1))
  fi
}
check "up, only once, with its status" is_up
check "commands run on hosts" commands_run_on_hosts
check "weights read back" weights_read_back
check "foreign root qdiscs stay" foreign_qdiscs_stay
free_port
check "a port of Linux, written, read back, rolled back" linux
check "a kill at any system call leaves no port half-written" kills_leave_no_half
check "a failed creation is rolled back, and nothing else" failed_creation_is_rolled_back
check "two labs side by side" two_labs_coexist
check "down removes only its own namespaces" down_removes_only_its_own
check "only root" only_root
check "weights 3:1" three_to_one
check "weights 1:1" one_to_one
check "packets without a mark get the default class" default_class
check "IPv6 packets are classified by their mark" ipv6_by_mark
check "down refuses while commands run" busy_labs_stay
check "down removes all, and nothing the second time" down_removes_all
echo "lab: $passed passed, $failed failed"
[ "$failed" = 0 ]
