#!/usr/bin/env bash
# Looks for undefined behaviour and invalid memory in the crates with `unsafe`: scripts/sanitize.sh [miri] [valgrind].
#   miri       unit tests of libsaba, preload and verbs (a nightly toolchain with its component)
#   valgrind   C programs that use libsaba and the preload library
# A part that can't run prints a line that starts with SKIP. Calls of libibverbs and libibumad (verbs, enforce) need
# devices: `make test-verbs` and `make test-fabric` make them, without a sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh

# Tests of files with unsafe code or atomics that call no C function, which Miri can't. Those of whole tables of descriptors
# take it many minutes.
units=(changes:: completion_queue:: ffi:: last_error:: marking:: verbs_layout::)

miri() {
  cargo +nightly miri --version >/dev/null 2>&1 || {
    echo "SKIP miri: there is no nightly toolchain with it ('rustup component add miri --toolchain nightly')"
    return
  }
  PROPTEST_CASES=2 MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --quiet --lib \
    -p bandwise-libsaba -p bandwise-preload -p bandwise-verbs -- "${units[@]}"
}

# Tests with C programs, without those that need what valgrind lacks: `clone`, filters of system calls, addresses that the
# kernel checks, and a log within the 250 ms that the end of a program waits.
programs=(c:: careful:: lookup:: messages:: the_controller_knows --skip signal_handlers --skip shares_the_memory
  --skip filter_for_all --skip invalid_pointers --skip refused_namespace)

# The tests compile C programs with `cc`, in whose place stands a script that runs the compiled program under valgrind.
valgrind() {
  type -P valgrind >/dev/null || {
    echo "SKIP valgrind: it is not installed"
    return
  }
  local bin=$scratch/bin
  mkdir "$bin"
  cat >"$bin/cc" <<WRAPPER
#!/usr/bin/env bash
# Compiles, and puts a script in the place of a program.
$(type -P cc) "\$@" || exit
case " \$* " in
  *" -shared "* | *" -fsanitize="*) exit ;;
esac
while [ \$# -gt 1 ] && [ "\$1" != -o ]; do shift; done
[ \$# -gt 1 ] || exit 0
mv "\$2" "\$2.real"
printf '#!/bin/sh\nexec $(type -P valgrind) -q --error-exitcode=99 "%s.real" "\$@"\n' "\$2" >"\$2"
chmod +x "\$2"
WRAPPER
  chmod +x "$bin/cc"
  # The workspace's features, so that nothing is built a second time.
  cargo test --quiet --workspace --no-run --test libsaba --test preload
  PATH=$bin:$PATH cargo test --quiet --workspace --test libsaba --test preload -- "${programs[@]}"
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(miri valgrind)
for part in "${parts[@]}"; do
  echo "== $part"
  "$part"
done
