#!/usr/bin/env bash
# Runs all tests, or the named parts: scripts/test.sh [format] [lint] [clippy] [tests] [docs] [fabric] [faults] [spark]
# [trace] [verbs] [web]. The parts `preload` and `release` run only if they are named.
# Every part runs, also after a failure. A part that can't run prints a line that starts with SKIP. The last line
# counts tests of cargo and Maven, netlists, checks of labs and virtual machines, traces, pages, and each other part.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh
target=${CARGO_TARGET_DIR:-target}
# A first build is faster without the files that make later ones fast.
[ -e "$target/debug" ] || export CARGO_INCREMENTAL=0

parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(format lint clippy tests docs fabric faults spark trace verbs web)
for part in "${parts[@]}"; do
  case $part in
    format | lint | clippy | tests | docs | fabric | faults | preload | spark | trace | verbs | web | release) ;;
    *)
      echo "test.sh: no part '$part' (allowed: format lint clippy tests docs fabric faults preload spark trace verbs web release)" >&2
      exit 2
      ;;
  esac
done
scripts/setup.sh test
passed=0
failed=0
scratch=$(mktemp -d)
installing=
trap '[ -z "$installing" ] || wait "$installing"; rm -rf "$scratch"' EXIT

# Installs what the named parts need, while others compile. A part whose packages are missing afterwards installs them
# itself, or says why it is skipped.
install() { # PART …
  local part checks=()
  for part in "$@"; do
    case $part in
      fabric) checks+=(fabric ib lab) ;;
      faults) checks+=(lab etcd faults) ;;
      preload) checks+=(lab programs) ;;
      spark) checks+=(integrations lab spark) ;;
      trace | verbs | web) checks+=("$part") ;;
    esac
  done
  [ ${#checks[@]} = 0 ] || tests/packages.sh "${checks[@]}" || true
  case " $* " in
    *" verbs "*) tests/verbs/install.sh "$target/verbs" || true ;;
  esac
}

# Runs scripts at the same time on the command, and prints their output one after the other. Fails if one does.
beside() { # SCRIPT …
  local wrong=0 script
  declare -A pids
  for script in "$@"; do
    bash "$script" "$bandwise" >"$scratch/${script//\//-}" 2>&1 &
    pids[$script]=$!
  done
  for script in "$@"; do
    wait "${pids[$script]}" || wrong=1
    cat "$scratch/${script//\//-}"
  done
  return $wrong
}

# Builds test programs, and what they need, as the part `tests` does: of the whole workspace, since alone a package has
# dependencies with other features, which would be built a second time.
builds() { cargo test --quiet --workspace --no-run "$@"; }
# The command, and the preload library.
bandwise=$target/debug/bandwise
preload=$target/debug/deps/libsaba_preload.so
programs() { builds --test end_to_end --test preload; }
# Prints the path of a built test program.
executable() { # TEST
  builds --test "$1" --message-format=json | sed -n 's/.*"executable":"\([^"]*\)".*/\1/p' | tail -n 1
}

# Fetches the dependencies of a lock file. Fails with 2 if the file does not fit its manifest.
fetches() { # FLAG …
  local message
  message=$(cargo fetch --quiet --locked "$@" 2>&1) && return
  echo "$message"
  case $message in
    *"lock file"*) return 2 ;;
    *) return 1 ;;
  esac
}

format() { cargo fmt --all --check && cargo fmt --manifest-path fuzz/Cargo.toml --check; }
lint() {
  # Circles of files; licences, duplicates and sources of dependencies; vulnerabilities if the database of advisories is
  # on this machine.
  local wrong=0 database=${CARGO_HOME:-$HOME/.cargo}/advisory-dbs
  if command -v python3 >/dev/null; then
    python3 scripts/circles.py --self-test && python3 scripts/circles.py || wrong=1
  else
    echo "SKIP lint: python3 is not installed, so circles of files are not looked for"
  fi
  if ! command -v cargo-deny >/dev/null; then
    echo "SKIP lint: cargo-deny is not installed, so dependencies are not checked"
    return $wrong
  fi
  # Dependencies of other systems too, which a build here does not need.
  fetches || {
    [ $? = 1 ] || return 1
    echo "SKIP lint: the dependencies of all systems can't be had, so they are not checked"
    return $wrong
  }
  cargo deny --offline --log-level error check --hide-inclusion-graph licenses bans sources || wrong=1
  if compgen -G "$database/*/" >/dev/null; then
    cargo deny --offline --log-level error check --hide-inclusion-graph advisories || wrong=1
  else
    echo "SKIP lint: there is no database of advisories in $database ('cargo deny fetch' brings it)"
  fi
  return $wrong
}
clippy() {
  local wrong=0
  cargo clippy --workspace --all-targets --quiet -- -D warnings || wrong=1
  # The command as `make run` builds it.
  cargo clippy -p bandwise-cli --no-default-features --all-targets --quiet -- -D warnings || wrong=1
  # Fuzz targets are a workspace of their own, with C++ dependencies; here they are only checked.
  if ! command -v c++ >/dev/null; then
    echo "SKIP clippy: there is no C++ compiler, so fuzz targets are not checked"
  elif fetches --manifest-path fuzz/Cargo.toml; then
    cargo clippy --manifest-path fuzz/Cargo.toml --target-dir "$target" --locked --bins --quiet -- -D warnings || wrong=1
  elif [ $? = 2 ]; then
    wrong=1
  else
    echo "SKIP clippy: what fuzz targets depend on can't be had, so they are not checked"
  fi
  return $wrong
}
tests() {
  local wrong=0
  cargo test --workspace --no-fail-fast || wrong=1
  # The published solver of weights is C, built only for this comparison.
  if command -v cmake >/dev/null; then
    cargo test --workspace --features bandwise-saba/baseline --no-fail-fast --test saba baseline || wrong=1
  else
    echo "SKIP tests: cmake is not installed, so weights are not compared with SLSQP's"
  fi
  return $wrong
}
release() {
  # Slow checks of code that rarely changes: the installed files, and the command without its default features.
  local wrong=0
  cargo build --quiet --profile test --bin bandwise &&
    cargo build --quiet --profile test -p bandwise-libsaba -p bandwise-preload &&
    bash tests/install/run.sh "$target/debug" || wrong=1
  cargo test -p bandwise-cli --no-default-features --test end_to_end absent || wrong=1
  return $wrong
}
docs() {
  # The crates' pages, and a comparison of the examples in the book and the README with the output of the tests' build.
  local wrong=0
  RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet || wrong=1
  if command -v python3 >/dev/null; then
    python3 docs/links.py || wrong=1
    programs && python3 docs/examples.py "$bandwise" || wrong=1
  else
    echo "SKIP docs: python3 is not installed, so the examples are not compared"
  fi
  return $wrong
}
fabric() {
  # Netlists of ibsim, dumped by ibnetdiscover, against our readers; InfiniBand ports in ibsim; Linux ports in a lab.
  local linux ibsim wrong=0
  programs && linux=$(executable linux) && ibsim=$(executable ibsim) || return 1
  bash tests/fabric/run.sh "$bandwise" || wrong=1
  bash tests/ib/run.sh "$bandwise" "$ibsim" || wrong=1
  bash tests/lab/run.sh "$bandwise" "$linux" || wrong=1
  bash tests/lab/profile.sh "$bandwise" || wrong=1
  bash tests/lab/preload.sh "$bandwise" "$preload" || wrong=1
  bash tests/lab/compare.sh "$bandwise" "$preload" || wrong=1
  return $wrong
}
faults() {
  # Controllers under faults that a seed draws, for 3 minutes, or as long as the flags in FAULTS say. The other checks of
  # controllers run beside that. None of them measures bandwidth.
  local flags=()
  read -ra flags <<<"${FAULTS:-}"
  programs || return 1
  if [ ${#flags[@]} -gt 0 ]; then
    bash tests/faults/run.sh "$bandwise" "${flags[@]}"
  else
    beside tests/lab/controller.sh tests/lab/etcd.sh tests/attacks/run.sh tests/faults/run.sh
  fi
}
preload() {
  # Real programs in a lab, with and without the library.
  programs && bash tests/lab/programs.sh "$bandwise" "$preload"
}
spark() {
  # The Java modules, by Maven; then Spark and Flink with them, in labs.
  local wrong=0
  programs || return 1
  bash tests/integrations/run.sh "$bandwise" || wrong=1
  bash tests/lab/spark.sh "$bandwise" integrations/spark/target/saba-spark-0.1.0.jar "$preload" || wrong=1
  bash tests/lab/flink.sh "$bandwise" integrations/flink/target "$preload" || wrong=1
  return $wrong
}
trace() {
  # Packets of simulated runs, read by Wireshark's dissector and Scapy.
  programs && bash tests/trace/run.sh "$bandwise"
}
verbs() {
  # Debian's measuring programs and ours between virtual machines with Soft-RoCE, alone and under Saba, and the tests
  # that need a device.
  local device
  programs && device=$(executable device) && bash tests/verbs/run.sh "$bandwise" "$device" "$preload"
}
web() {
  # A sample with every element of a page, the page of `make run`, and one of flows through Ethernet fabrics.
  local wrong=0 paper page=$scratch/report.html
  programs && builds --example sample && "$target/debug/examples/sample" >"$page" || return 1
  bash tests/web/run.sh "$page" || wrong=1
  for paper in rperf irn/fig1; do
    "$bandwise" papers run "$paper" --quick --report "$page" >/dev/null && bash tests/web/run.sh "$page" || wrong=1
  done
  return $wrong
}

# Sums the numbers before a word in the lines of a log that match a tally.
total() { # LOG PATTERN WORD
  grep -E "$2" "$1" | grep -oE "[0-9]+ $3" | awk '{ sum += $1 } END { print sum + 0 }' || true
}

# Returns the CPU time of all ended commands of a shell, seconds.
cpu() { # PID
  local stat
  read -ra stat <"/proc/$1/stat"
  echo $(((stat[15] + stat[16]) / $(getconf CLK_TCK)))
}

# Runs a part, prints its output and its counts, and leaves the counts in a file.
run() { # PART
  local part=$1 log=$scratch/$1.log shell=$BASHPID began=$SECONDS computed status=0 tally good=0 bad=0
  computed=$(cpu "$shell")
  echo "== $part"
  "$part" </dev/null 2>&1 | tee "$log" || status=$?
  case $part in
    tests | release) tally='^(test result|install): ' ;;
    fabric) tally='^(fabric|ib|lab|profile|preload|compare): ' ;;
    faults) tally='^(controller|etcd|faults): ' ;;
    preload) tally='^programs: ' ;;
    spark) tally='^(integrations|spark|flink): ' ;;
    trace) tally='^trace: ' ;;
    verbs) tally='^verbs: ' ;;
    web) tally='^web: ' ;;
    *) tally='' ;;
  esac
  if [ -n "$tally" ]; then
    good=$(total "$log" "$tally" passed)
    bad=$(total "$log" "$tally" failed)
  elif [ "$status" = 0 ]; then
    good=1
  fi
  # A failure before or beside the counted checks.
  [ "$status" = 0 ] || [ "$bad" -gt 0 ] || bad=1
  echo "$good $bad" >"$scratch/$part.counts"
  echo "== $part: $((SECONDS - began)) s, CPU time $(($(cpu "$shell") - computed)) s, $good passed, $bad failed"
}

# Returns whether a part is to run.
is_named() { # PART
  case " ${parts[*]} " in
    *" $1 "*) ;;
    *) return 1 ;;
  esac
}

install "${parts[@]}" >"$scratch/installed" 2>&1 </dev/null &
installing=$!
# Parts that run beside `fabric`, which leaves a processor idle. `docs` is the last, because it keeps others from building.
companions=()
if is_named fabric; then
  for part in trace web docs; do
    if is_named "$part"; then companions+=("$part"); fi
  done
fi
for part in "${parts[@]}"; do
  case " ${companions[*]} " in
    *" $part "*) continue ;;
  esac
  case $part in
    fabric | faults | spark | trace | verbs | web) wait "$installing" || true ;;
  esac
  if [ "$part" = fabric ]; then
    # The programs of `fabric` are built first, because a build waits for others.
    programs && executable linux >/dev/null && executable ibsim >/dev/null || true
    for companion in "${companions[@]}"; do run "$companion"; done >"$scratch/companions" 2>&1 &
    beside=$!
    run fabric
    wait "$beside" || true
    cat "$scratch/companions"
  else
    run "$part"
  fi
done

for part in "${parts[@]}"; do
  read -r good bad <"$scratch/$part.counts" || { good=0 bad=1; }
  passed=$((passed + good)) failed=$((failed + bad))
done
echo "bandwise: $passed passed, $failed failed"
[ "$failed" = 0 ]
