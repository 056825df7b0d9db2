#!/usr/bin/env bash
# Runs every fuzz target of fuzz/ for a minute (SECONDS_EACH to change that). Needs cargo-fuzz and
# a nightly toolchain; neither is installed here.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh

skip() {
  echo "SKIP fuzz: $1"
  exit 0
}

[ -d fuzz ] || skip "there are no fuzz targets"
cargo +nightly --version >/dev/null 2>&1 || skip "there is no nightly toolchain"
cargo +nightly fuzz --version >/dev/null 2>&1 || skip "cargo-fuzz is not installed"
cargo +nightly fuzz list </dev/null | while read -r target; do
  echo "== $target"
  # What it finds goes to the first folder; the second one is where it starts from.
  mkdir -p "fuzz/corpus/$target"
  cargo +nightly fuzz run "$target" "fuzz/corpus/$target" "fuzz/seeds/$target" -- \
    -max_total_time="${SECONDS_EACH:-60}" </dev/null
done
