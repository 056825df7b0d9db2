#!/usr/bin/env bash
# Runs a command in each of two to four virtual machines with Soft-RoCE on one Ethernet segment:
#   tests/verbs/lab.sh [--seconds N] [--folder FOLDER] COMMAND COMMAND...
# A command is text for bash. It sees the host's files (changes are lost with the machine), the device rxe0, the
# machines as 10.0.0.1, 10.0.0.2 ..., and its own number as $MACHINE. Its working folder is shared by the host and all
# machines: FOLDER if given, which is kept. `await HOST PORT` in a command waits until a program listens there. Machines
# run until all commands have ended. All are stopped when one fails, or N seconds (1 to 999, 120) after the start. Then
# each command's output is printed. Exit code: that of the command that failed first, 124 after the time limit, 125 when
# a machine ended without one, 2 for invalid arguments, 3 when the bench is unavailable.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${CARGO_TARGET_DIR:-$here/../../target}/verbs
seconds=120
folder=

refuse() {
  echo "lab: $1" >&2
  exit 2
}
while [ $# -gt 0 ]; do
  case $1 in
    --seconds) seconds=${2-} ;;
    --folder) folder=${2-} ;;
    -*) refuse "no option $1 (allowed: --seconds, --folder)" ;;
    *) break ;;
  esac
  [ -n "${2-}" ] || refuse "$1: a value is missing"
  shift 2
done
[[ $seconds =~ ^[1-9][0-9]{0,2}$ ]] ||
  refuse "--seconds $seconds: allowed is a number from 1 to 999"
if [ $# -lt 2 ] || [ $# -gt 4 ]; then
  refuse "$# commands, and so machines; allowed: 2 to 4"
fi

mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
"$here/install.sh" "$cache"

# The folder has its name, and is removed at the end, before it exists: an interrupt at any time leaves nothing.
scratch=${TMPDIR:-/tmp}/verbs-lab.$$
declare -A machine_of=()
# Ends the machines. A signal that a process gets before it has replaced the shell is lost, so it is repeated.
# shellcheck disable=SC2317 # Reached by the trap.
finish() {
  # A second signal or a closed pipe must not interrupt this.
  trap '' HUP INT PIPE TERM
  while kill "${!machine_of[@]}" 2>/dev/null; do sleep 0.02; done
  rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir -m 700 "$scratch" || { trap - EXIT; exit 3; }
"$here/image.sh" "$cache" "$scratch/image"
folder=${folder:-$scratch/shared}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
# qemu's syntax for a comma in a value is two commas.
shared=${folder//,/,,}

# The machines' clock is the host's TSC, whose frequency they are given: a kernel that measured it arrived at an eighth
# of it while the host was busy.
cc -O1 -o "$scratch/tsc" "$here/tsc.c"
clock="tsc_early_khz=$("$scratch/tsc") tsc=reliable"

# The processors available to us, one per machine. Two busy-polling machines on one processor would make a message wait
# for the host's scheduler.
mapfile -t processors < <(
  sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status | tr ',' '\n' | sed 's/^[0-9]*$/&-&/' |
    while IFS=- read -r first last; do seq "$first" "$last"; done
)

# Machine 1 has a hub that the others connect to by streams over unix sockets, which lose nothing and are not slowed
# down by TCP's delays. cryptomgr.notests: the kernel skips its cipher tests at boot.
boot() { # NUMBER OPTIONS...
  local number=$1
  shift
  timeout --kill-after=5 "$seconds" \
    taskset -c "${processors[(number - 1) % ${#processors[@]}]}" qemu-system-x86_64 \
    -M q35 -accel tcg -cpu max -m 512 -nodefaults -display none -no-reboot \
    -kernel "$cache/kernel" -initrd "$scratch/image" \
    -append "console=ttyS0 quiet panic=-1 $clock cryptomgr.notests MACHINE=$number MACHINES=$machines" \
    -serial "file:$scratch/$number.console" \
    -fsdev local,id=host,path=/,security_model=none,readonly=on,multidevs=remap \
    -device virtio-9p-pci,fsdev=host,mount_tag=host \
    -fsdev "local,id=lab,path=$shared,security_model=none" \
    -device virtio-9p-pci,fsdev=lab,mount_tag=lab \
    -device "virtio-net-pci,netdev=eth0,romfile=,mac=52:54:00:00:00:0$number" \
    "$@" >"$scratch/$number.qemu" 2>&1 &
  machine_of[$!]=$number
}

# Tests that a unix socket accepts connections, which happens after its file appears.
listens() { awk -v path="$1" '$8 == path && $4 == "00010000" { found = 1 } END { exit !found }' \
  /proc/net/unix; }

machines=$#
hub=(-netdev "hubport,id=eth0,hubid=0")
for ((number = 1; number <= machines; number++)); do
  rm -f "$folder/$number".{output,status}
  printf '%s\n' "${!number}" >"$folder/$number.command"
  [ "$number" = 1 ] || hub+=(
    -netdev "stream,id=cable$number,server=on,addr.type=unix,addr.path=$scratch/$number.cable"
    -netdev "hubport,id=plug$number,hubid=0,netdev=cable$number")
done
boot 1 "${hub[@]}"
for ((number = 2; number <= machines; number++)); do
  until listens "$scratch/$number.cable"; do
    kill -0 "${!machine_of[@]}" 2>/dev/null || break
    sleep 0.01
  done
  boot "$number" \
    -netdev "stream,id=eth0,server=off,addr.type=unix,addr.path=$scratch/$number.cable"
done

verdict=0
running=$machines
while [ "$running" -gt 0 ] && [ "$verdict" = 0 ]; do
  code=0
  wait -n -p ended || code=$?
  number=${machine_of[$ended]}
  unset "machine_of[$ended]"
  running=$((running - 1))
  if [ "$code" = 124 ] || [ "$code" = 137 ]; then
    echo "lab: machine $number was stopped after $seconds s" >&2
    verdict=124
  elif [ ! -s "$folder/$number.status" ]; then
    echo "lab: machine $number ended without a status, with this on its console:" >&2
    tail -n 40 "$scratch/$number.console" "$scratch/$number.qemu" >&2
    verdict=125
  else
    verdict=$(cat "$folder/$number.status")
    [ "$verdict" = 0 ] || echo "lab: the command of machine $number ended with $verdict" >&2
  fi
done
for ((number = 1; number <= machines; number++)); do
  echo "== machine $number"
  [ ! -e "$folder/$number.output" ] || cat "$folder/$number.output"
done
exit "$verdict"
