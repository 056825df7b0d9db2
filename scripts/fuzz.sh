#!/usr/bin/env bash
# Runs every target in fuzz/ for a minute (SECONDS_EACH changes that). Needs cargo-fuzz and a nightly toolchain, which
# it does not install.
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
  # New inputs go to the first folder; the second one has the seeds.
  mkdir -p "fuzz/corpus/$target"
  cargo +nightly fuzz run "$target" "fuzz/corpus/$target" "fuzz/seeds/$target" -- \
    -max_total_time="${SECONDS_EACH:-60}" </dev/null
done
