# shellcheck shell=bash
# To be sourced after made.sh by checks that run a framework's programs on four hosts of an existing lab: helpers for
# processes and for a controller. Callers set `environment`, an array of variables for all programs.
lab=$what$$
controller=
environment=()
# Every process on the lab's hosts was started here.
everyone() { for host in h1 h2 h3 h4; do ip netns pids "bandwise-$lab-$host" 2>/dev/null || true; done; }
finish() {
  # A second signal or a closed pipe must not interrupt this.
  trap '' HUP INT PIPE TERM
  local pids
  pids=$(everyone)
  # shellcheck disable=SC2086
  [ -z "$pids" ] || kill -9 $pids 2>/dev/null || true
  [ -z "$controller" ] || kill -9 "$controller" 2>/dev/null || true
  wait 2>/dev/null || true
  "$bandwise" lab down --force --name "$lab" >/dev/null 2>&1 || true
  rm -rf "$scratch"
}
trap finish EXIT
made "$lab" 4 "${rate:-200Mbit}"
cd "$scratch"
printf '10.0.0.%d h%d\n' 1 1 2 2 3 3 4 4 >hosts

# Runs a command on a host, with the environment for Saba.
on() { # HOST COMMAND …
  local host=$1
  shift
  # A killed process leaves its files.
  "$bandwise" lab exec --name "$lab" "$host" -- env SABA_HOST="$host" SABA_HOSTS="$scratch/hosts" \
    JAVA_TOOL_OPTIONS="-Djava.io.tmpdir=$scratch" "${environment[@]}" "$@"
}
# Repeats a command every 0.1 s until it succeeds.
waits() { # SECONDS COMMAND …
  local tries=$(($1 * 10))
  shift
  for _ in $(seq $tries); do
    "$@" >output 2>&1 && return 0
    sleep 0.1
  done
  echo "  not reached: $*" && tail -n 3 output | sed 's/^/  /' && return 1
}
# Prints the process on a host whose command line matches, if there is one.
process() { # HOST PATTERN
  local pid
  for pid in $(ip netns pids "bandwise-$lab-$1"); do
    ! tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -q "^[^ ]*java .*$2" || echo "$pid"
  done
}

# Starts a controller of the lab's ports, at unix:$scratch/socket.
controller_starts() { # with the table of sensitivities in $table
  cat >controller.toml <<SETTINGS
lab = "$lab"
table = "$table"
store = "store"
listen = "unix:socket"
[times]
lease = "3 s"
SETTINGS
  "$bandwise" saba controller --config controller.toml >controller.log 2>&1 &
  controller=$!
  waits 20 "$bandwise" saba status --config controller.toml
}
client() { python3 "$here/client.py" "$scratch/socket" "$@"; }
# Checks the names of applications, their number of parts, or the pairs of hosts, as the controller knows them.
has() { # names|parts|pairs WORDS …
  local wanted=${*:2}
  [ "$(client "$1")" = "$wanted" ] || { client "$1" && return 1; }
}
# Each of h2, h3 and h4 sends to both others.
all_pairs() {
  local pair
  client pairs >pairs
  for pair in h2-h3 h2-h4 h3-h2 h3-h4 h4-h2 h4-h3; do grep -qw "$pair" pairs || { cat pairs && return 1; }; done
  grep -qE '^(h[1-4]-h[1-4] ?)*$' pairs
}
