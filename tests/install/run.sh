#!/usr/bin/env bash
# Checks that the files of `make install` are usable from their places: tests/install/run.sh CARGO-FOLDER. The last line
# has the counts.
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
built=$(realpath "${1:?the folder with what was built}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
root=$scratch/root
passed=0
failed=0
check() { # NAME
  if "$1" >"$scratch/output" 2>&1; then
    passed=$((passed + 1))
    echo "install: ${1//_/ }: ok"
  else
    failed=$((failed + 1))
    echo "install: ${1//_/ }: FAILED"
    tail -n 5 "$scratch/output" | sed 's/^/  /'
  fi
}
all_files_are_installed() {
  PREFIX=/opt/bw DESTDIR=$root "$here/scripts/install.sh" "$built" && [ "$(find "$root" -type f | wc -l)" = 14 ] &&
    PATH="$root/opt/bw/bin:$PATH" bandwise --version | grep -q '^bandwise ' &&
    bash -n "$root/opt/bw/share/bash-completion/completions/bandwise" &&
    grep -q '^ExecStart=/opt/bw/bin/bandwise ' "$root/opt/bw/lib/systemd/system/bandwise-controller.service"
}
c_program_finds_the_library() {
  local flags
  flags=$(PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$root/opt/bw/lib/pkgconfig pkg-config --cflags --libs saba) &&
    [ "$(PKG_CONFIG_LIBDIR=$root/opt/bw/lib/pkgconfig pkg-config --modversion saba)" = "$("$built/bandwise" --version | cut -d ' ' -f 2)" ] &&
    # shellcheck disable=SC2086
    cc -std=c11 -D_GNU_SOURCE "$root/opt/bw/share/doc/bandwise/examples/sender.c" $flags -o "$scratch/sender" || return 1
  # No controller listens there: the program finds that out with the library.
  ! SABA_CONTROLLER=unix:/nowhere LD_LIBRARY_PATH=$root/opt/bw/lib "$scratch/sender" LR h1 127.0.0.1 1 2>"$scratch/error" &&
    grep -q '^no controller answers' "$scratch/error"
}
preload_library_is_found() {
  SABA_CONTROLLER=unix:/nowhere "$root/opt/bw/bin/bandwise" saba run --app LR -- env |
    grep -q "^LD_PRELOAD=$root/opt/bw/lib/bandwise/libsaba_preload.so"
}
manual_page_is_valid() { [ -z "$(groff -man -ww -z "$root/opt/bw/share/man/man3/saba.3" 2>&1)" ]; }
systemd_unit_is_valid() {
  # The program that it starts is not at the given path.
  sed "s|/opt/bw/bin/bandwise|/bin/true|" "$root/opt/bw/lib/systemd/system/bandwise-controller.service" >"$scratch/saba.service" &&
    systemd-analyze verify --man=no "$scratch/saba.service"
}
uninstall_removes_all_files() {
  touch "$root/opt/bw/lib/others" && PREFIX=/opt/bw DESTDIR=$root "$here/scripts/install.sh" "$built" remove &&
    [ "$(find "$root" -type f)" = "$root/opt/bw/lib/others" ] && [ ! -e "$root/opt/bw/lib/bandwise" ]
}
missing_builds_are_named() {
  mkdir "$scratch/empty" && ! DESTDIR=$scratch/none "$here/scripts/install.sh" "$scratch/empty" 2>"$scratch/error" &&
    grep -q "/empty/bandwise is missing" "$scratch/error" && [ ! -e "$scratch/none" ]
}

check all_files_are_installed
if command -v pkg-config >/dev/null; then check c_program_finds_the_library; else echo "SKIP install: no pkg-config"; fi
check preload_library_is_found
if command -v groff >/dev/null; then check manual_page_is_valid; else echo "SKIP install: no groff, so the manual page is not checked"; fi
if command -v systemd-analyze >/dev/null; then check systemd_unit_is_valid; else echo "SKIP install: no systemd-analyze, so the unit is not checked"; fi
check uninstall_removes_all_files
check missing_builds_are_named
echo "install: $passed passed, $failed failed"
[ "$failed" = 0 ]
