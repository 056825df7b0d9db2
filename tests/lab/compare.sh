#!/usr/bin/env bash
# Compares policies for programs (`bandwise saba compare`) on the links of a lab: one program sends continuously, one
# pauses between transfers, both to the same host. Ports must be restored at the end, also after an interruption.
#   tests/lab/compare.sh PATH-OF-BANDWISE PATH-OF-libsaba_preload.so [ROUNDS]
# Prints a line that starts with SKIP if that is unavailable. The last line has the counts.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bandwise=$(realpath "${1:?the path of the bandwise program}")
library=$(realpath "${2:?the path of libsaba_preload.so}")
rounds=${3:-2}

what=compare
. "$here/made.sh"

lab=c$$
finish() {
  # A second signal or a closed pipe must not interrupt this.
  trap '' HUP INT PIPE TERM
  "$bandwise" lab down --force --name "$lab" >/dev/null 2>&1 || true
  rm -rf "$scratch"
}
trap finish EXIT
made "$lab" 3
cd "$scratch"
"$bandwise" lab status --name "$lab" >before
cat >table.csv <<'TABLE'
application,share,time_s
LR,1,132
LR,0.5,260
LR,0.25,447
PR,1,100
PR,0.5,110
PR,0.25,131
TABLE
cat >controller.toml <<SETTINGS
lab = "$lab"
table = "table.csv"
store = "controller.redb"
listen = "unix:controller.sock"
audit = "audit.jsonl"
SETTINGS
# The receiver at h3 reads until the end.
cat >receives.py <<'PROGRAM'
import socket, sys
server = socket.create_server(("", int(sys.argv[1])))
print("listening", flush=True)
connection, _ = server.accept()
while connection.recv(1 << 16):
    pass
PROGRAM
cat >sends.py <<'PROGRAM'
import socket, sys, time
port, times, count, pause = sys.argv[1:]
connection = socket.create_connection(("10.0.0.3", int(port)))
for _ in range(int(times)):
    connection.sendall(bytes(int(count)))
    time.sleep(float(pause))
PROGRAM
cat >program <<PROGRAM
#!/usr/bin/env bash
# NAME HOST PORT TIMES BYTES PAUSE
set -euo pipefail
coproc receiver { "$bandwise" lab exec --name "$lab" h3 -- python3 receives.py "\$3"; }
read -r -u "\${receiver[0]}" line && [ "\$line" = listening ]
"$bandwise" lab exec --name "$lab" "\$2" -- "$bandwise" saba run --app "\$1" --preload "$library" -- \
  python3 sends.py "\${@:3}"
wait
PROGRAM
chmod +x program

compared() { "$bandwise" saba compare --config controller.toml --rounds "$@"; }
both=(--app "LR=./program LR h1 7101 6 4000000 0.01" --app "PR=./program PR h2 7102 3 4000000 0.4")
as_before() { "$bandwise" lab status --name "$lab" >after && diff before after; }

programs_are_compared() {
  compared "$rounds" "${both[@]}" --json compare.json --report compare.html 2>log | sed 's/^/  /' || return 1
  # Weights of the link to h3 while both programs were registered, which on a busy machine may not happen in each round.
  local weights
  for weights in 255,255 85,255; do
    grep -q "\"ordered\".*\"weights\":\[$weights\]" audit.jsonl || { echo "  no port was to have $weights" && return 1; }
  done
  as_before || { echo "  ports are not as before" && return 1; }
}
ports_are_restored_on_interrupt() {
  local asks="LR=test -S controller.sock || exit 0; ./program LR h1 7101 1 400000 0; kill -INT \$PPID; sleep 60 & wait"
  local code=0
  compared 1 --app "$asks" "${both[@]:2}" >/dev/null 2>log || code=$?
  [ $code = 130 ] && as_before
}
count programs_are_compared ports_are_restored_on_interrupt
