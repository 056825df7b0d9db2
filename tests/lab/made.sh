# shellcheck shell=bash
# To be sourced by checks on a lab, after `what` (their name), `here` (their folder) and `bandwise` are set. Provides a
# folder `$scratch`; `made LAB HOSTS [RATE]`, which creates a lab with links of 200 Mbit/s, or prints SKIP if it can't;
# `finds`, and `count`.
skip() {
  echo "SKIP $what: $1"
  exit 0
}
[ "$(id -u)" = 0 ] || skip "network namespaces need root"
. "$here/../packages.sh"
packages lab || skip "$cause"
scratch=$(mktemp -d)

made() { # LAB HOSTS [RATE]
  "$bandwise" lab up --name "$1" --hosts "$2" --rate "${3:-200Mbit}" >"$scratch/out" 2>"$scratch/error" && return
  case $(cat "$scratch/error") in
    *"kind is unknown"* | *"not permitted"* | *"Unknown device type"*) skip "$(tail -n 1 "$scratch/error")" ;;
  esac
  echo "FAILED lab up: $(cat "$scratch/error")"
  exit 1
}

# Like grep -q, but reads to the end, so that the writer gets no broken pipe.
finds() {
  local all
  all=$(cat) && grep -q "$@" <<<"$all"
}

# Runs the named checks and counts them. After a failure, prints the end of the log, if there is one.
count() { # CHECK …
  local passed=0 failed=0 check began
  for check in "$@"; do
    began=$SECONDS
    if $check; then
      passed=$((passed + 1))
      echo "$what: ${check//_/ }: ok ($((SECONDS - began)) s)"
    else
      failed=$((failed + 1))
      echo "$what: ${check//_/ }: FAILED"
      [ ! -s "$scratch/log" ] || tail -n 3 "$scratch/log" | sed 's/^/  /'
    fi
  done
  echo "$what: $passed passed, $failed failed"
  [ $failed = 0 ]
}
