#!/usr/bin/env bash
# Builds and tests the Java integrations (integrations/) with Maven, against a fake controller and the real one.
#   tests/integrations/run.sh PATH-OF-BANDWISE
# Prints a line that starts with SKIP if that is unavailable. The last line has the counts.
set -euo pipefail
BANDWISE=$(realpath "${1:?the path of the bandwise program}")
export BANDWISE
cd "$(dirname "$0")/../../integrations"

skip() {
  echo "SKIP integrations: $1"
  exit 0
}
. ../tests/packages.sh
packages integrations || skip "$cause"
major=$(javac -version 2>&1 | sed 's/^javac \([0-9]*\).*/\1/')
[ "$major" -ge 17 ] || skip "there is a JDK $major, and 17 or newer is needed"

log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
mvn --batch-mode -Dstyle.color=never --fail-at-end clean package >"$log" 2>&1 </dev/null || status=$?
if [ $status != 0 ] && grep -qE 'Could not (transfer|find) artifact|Could not resolve' "$log" && ! grep -q 'Tests run:' "$log"; then
  skip "Maven could not fetch what is needed: $(grep -m 1 -oE 'Could not (transfer|find) artifact [^ ]*|Could not resolve [^.]*' "$log")"
fi
grep -E '^\[ERROR\]' "$log" | head -n 20 | cut -c 1-300 | sed 's/^/  /' || true
# One line per module: "[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0".
sum() { grep -E '^\[(INFO|WARNING|ERROR)\] Tests run:.*Skipped: [0-9]+$' "$log" | grep -oE "$1: [0-9]+" | awk '{ sum += $NF } END { print sum + 0 }' || true; }
failed=$(($(sum Failures) + $(sum Errors)))
passed=$(($(sum "Tests run") - failed - $(sum Skipped)))
# No line at all: Maven's output has changed.
{ [ $status = 0 ] && [ $passed -gt 0 ]; } || [ $failed -gt 0 ] || failed=1
echo "integrations: $passed passed, $failed failed"
[ $failed = 0 ]
