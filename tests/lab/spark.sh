#!/usr/bin/env bash
# Spark under Saba in a lab: a master, a driver and three workers on four hosts. Checks which of two jobs is more
# sensitive to bandwidth; the controller's view of a job while it runs, and after it ended or was killed; and marks on
# the wire.
#   tests/lab/spark.sh PATH-OF-BANDWISE PATH-OF-THE-PLUGIN [PATH-OF-libsaba_preload.so]
# Spark comes from PyPI, into target/spark. Prints a line that starts with SKIP if that is unavailable. The last line
# has the counts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bandwise=$(realpath "${1:?the path of the bandwise program}")
plugin=$(realpath -m "${2:?the path of saba-spark.jar}")
library=${3:+$(realpath "$3")}

what=spark
. "$here/made.sh"
packages spark || skip "$cause"
. "$here/spark/spark.sh"
table=table.toml
mkfifo orders answers
exec 7<>orders 8<>answers

# Starts a job, which waits for commands on its input.
submit() { # WORKLOAD [FLAG …]
  local job=$1 left
  shift
  # Left by a failed check.
  left=$(driver)
  [ -z "$left" ] || { kill -9 "$left" && waits 20 no_driver; }
  while read -r -t 0.1 -u 8 left; do :; done
  : >"$job.log"
  on h1 env SPARK_LOCAL_IP=10.0.0.1 "$home/bin/spark-submit" --master spark://10.0.0.1:7077 --driver-memory 512m --executor-memory 512m \
    --driver-class-path "$plugin" --conf spark.executor.extraClassPath="$plugin" \
    --conf spark.plugins=io.github.bandwise.saba.spark.SabaPlugin --conf spark.saba.app="$job" \
    --conf spark.saba.controller="unix:$scratch/socket" --conf spark.ui.enabled=false \
    --conf spark.locality.wait=0 "$@" --class Workloads workloads.jar "$job" <&7 >&8 2>"$job.log" &
  job_prints 90 ready || { tail -n 3 "$job.log" | sed 's/^/  /' && return 1; }
}
job_prints() { # SECONDS WORD
  local line
  read -r -t "$1" -u 8 line && [ "$line" = "$2" ] || { echo "  the job did not print \"$2\"" && return 1; }
}
run_once() { echo run >&7 && job_prints 120 "done"; }
driver() { process h1 '\.SparkSubmit .*--class Workloads'; }
no_driver() { [ -z "$(driver)" ]; }
ends() { echo end >&7 && waits 30 no_driver; }

# Bytes sent by the switch's port to a host with a mark of a weighted class, and without.
sent() { # HOST CLASS
  "$bandwise" lab exec --name "$lab" switch -- tc -s class show dev "$1" |
    sed -n "/^class htb 5aba:$2 /{n;s/^ Sent \([0-9]*\) bytes.*/\1/p}"
}
marked() { # FLAG: counts marked bytes of 100,000, and reads the mark of the socket
  local before
  before=$(sent h3 10)
  on h3 python3 -c 'import socket
server = socket.create_server(("", 7003))
open("listening", "w").close()
connection, _ = server.accept()
while connection.recv(1 << 16):
    pass' &
  waits 10 test -e listening && rm listening
  socket_mark=$(on h1 java "$1" -cp classes Mark 10.0.0.3 7003 10 100000 2>mark.log) && wait $! && bytes=$(($(sent h3 10) - before))
}
# Without the option, at most the kernel's packets for a closed socket have the mark: acknowledgements.
ip_tos_of_java_marks_if_ipv4_is_preferred() {
  "$bandwise" lab weights --name "$lab" h3 10=3 12=1 >/dev/null || return 1
  marked -Djava.net.preferIPv4Stack=false && echo "  dual-stack: the socket has mark $socket_mark, $bytes bytes have the mark" &&
    [ "$socket_mark" = 10 ] && [ "$bytes" -lt 1000 ] &&
    marked -Djava.net.preferIPv4Stack=true && echo "  IPv4: the socket has mark $socket_mark, $bytes bytes have the mark" &&
    [ "$socket_mark" = 10 ] && [ "$bytes" -ge 100000 ] && "$bandwise" lab weights --name "$lab" h3 --clear >/dev/null
}
three_workers_start() { starts_workers 1; }

# The command profiled: a run of a job that is already up, without Spark's start.
cat >once <<'ONCE'
#!/usr/bin/env bash
echo run >orders && read -r -t 120 line <>answers && [ "$line" = "done" ]
ONCE
chmod +x once
slowdown() { python3 -c 'import json, sys; print(*("%.2f" % share["slowdown"] for share in json.load(open(sys.argv[1]))["shares"]))' "$1"; }
profiled() { # WORKLOAD
  submit "$1" && "$bandwise" saba profile --app "$1" --lab "$lab" --at 10,25,50,100 --repeat 2 --warmup 2 --within 100 \
    --table table.toml --json "$1.json" -- ./once >profile.log 2>&1 || { tail -n 5 profile.log | sed 's/^/  /' && return 1; }
  ends && echo "  $1 takes $(slowdown "$1.json") times as long with 10, 25, 50, 100% of the bandwidth"
}
regression_is_more_sensitive_than_sort() {
  profiled LR && profiled Sort && python3 - <<'ORDER'
import json
lr, sort = ([share["slowdown"] for share in json.load(open(f"{job}.json"))["shares"]] for job in ("LR", "Sort"))
assert lr[0] > sort[0] and lr[1] > sort[1], (lr, sort)
assert lr[0] > lr[2], lr
ORDER
}
missing_controller_is_one_warning() {
  [ "$(grep -c 'WARN.*saba' LR.log)" = 1 ] && grep -q "WARN.*saba: no controller: unix:$scratch/socket" LR.log
}

job_is_one_application_with_its_connections() {
  submit Sort --conf spark.blockManager.port=7100 --conf spark.port.maxRetries=16 && run_once &&
    waits 10 has names Sort && waits 10 all_pairs && echo "  $(cat pairs)"
}
ports_of_block_managers_are_known() {
  on h1 nft list ruleset >/dev/null 2>nft.log || { echo "SKIP spark: ports are not marked: $(tail -n 1 nft.log)" && return; }
  local dscp before marked host status=0
  grep -o 'is registered, with the mark (DSCP) [0-9]*' Sort.log >output && dscp=$(grep -o '[0-9]*$' output) || return 1
  for host in h1 h2 h3 h4; do
    on $host nft -f - <<RULES || return 1
table inet saba {
  chain out {
    type filter hook output priority mangle;
    tcp sport 7100-7116 ip dscp set $dscp
  }
}
RULES
  done
  before=$(sent h2 10) && run_once && marked=$(($(sent h2 10) - before)) &&
    echo "  $marked bytes to h2 have the mark $dscp" && [ "$marked" -gt 100000 ] || status=1
  for host in h1 h2 h3 h4; do on $host nft delete table inet saba; done
  return $status
}
ended_job_is_removed() { ends && waits 10 has names && waits 10 has pairs; }
killed_job_expires() {
  submit LR && run_once && waits 10 has names LR && kill -9 "$(driver)" && waits 20 has names && waits 10 has pairs
}
# The driver registers, and the library once in each executor.
plugin_is_silent_under_preload() {
  [ -n "$library" ] || { echo "SKIP spark: no preload library was given, so executors are not run with it" && return; }
  local before marked
  submit Sort --conf spark.saba.preload="$library" && run_once && waits 10 has names Sort && waits 10 all_pairs &&
    has parts 4 && before=$(sent h2 10) && run_once && marked=$(($(sent h2 10) - before)) && echo "  $marked bytes to h2 have the mark" &&
    [ "$marked" -gt 100000 ] && ends && waits 10 has names && waits 10 has pairs
}

count ip_tos_of_java_marks_if_ipv4_is_preferred three_workers_start regression_is_more_sensitive_than_sort \
  missing_controller_is_one_warning controller_starts job_is_one_application_with_its_connections \
  ports_of_block_managers_are_known ended_job_is_removed killed_job_expires \
  plugin_is_silent_under_preload
