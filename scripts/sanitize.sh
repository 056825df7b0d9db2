#!/usr/bin/env bash
# Looks for undefined behaviour and invalid memory in the crates with `unsafe`: scripts/sanitize.sh [miri] [valgrind].
#   miri       the unit tests of enforce, libsaba, preload and verbs, under Miri (a nightly toolchain with its component)
#   valgrind   C programs that use libsaba and the preload library
# A part that can't run prints a line that starts with SKIP. The crates' calls of libibverbs and libibumad need devices:
# `make test-verbs` and `make test-fabric` make them, without a sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/environment.sh

# Miri is some hundred times slower than the processor. Generated inputs are few, and larger ones left out.
miri() {
  cargo +nightly miri --version >/dev/null 2>&1 || {
    echo "SKIP miri: there is no nightly toolchain with it ('rustup component add miri --toolchain nightly')"
    return
  }
  PROPTEST_CASES=8 MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --quiet --lib \
    -p bandwise-enforce -p bandwise-libsaba -p bandwise-preload -p bandwise-verbs
}

# Tests with C programs. Not among them are those of `clone` and seccomp filters, which valgrind lacks.
programs=(c:: careful:: lookup:: messages:: verbs::)

# The tests compile C programs with `cc`, in whose place stands a script that runs the compiled program under valgrind.
valgrind() {
  command -v valgrind >/dev/null || {
    echo "SKIP valgrind: it is not installed"
    return
  }
  local bin=$scratch/bin
  mkdir "$bin"
  cat >"$bin/cc" <<WRAPPER
#!/usr/bin/env bash
# Compiles, and puts a script in the place of a program.
$(command -v cc) "\$@" || exit
case " \$* " in
  *" -shared "* | *" -fsanitize="*) exit ;;
esac
while [ \$# -gt 1 ] && [ "\$1" != -o ]; do shift; done
[ \$# -gt 1 ] || exit 0
mv "\$2" "\$2.real"
printf '#!/bin/sh\nexec $(command -v valgrind) -q --error-exitcode=99 "%s.real" "\$@"\n' "\$2" >"\$2"
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
